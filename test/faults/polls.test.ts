import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { reportRounds } from "../support/rounds.ts";
import { node } from "../support/workflow-app.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { type Member, startYard, type Yard } from "./yard.ts";

const entriesPerKill = 5;
const oldEntries = ["old 1", "old 2"];
/** How long everything may take once nobody is killed any more; a look that was cut off is made again after 40 s. */
const settleMs = 60_000;

let yard: Yard;
let feed: Awaited<ReturnType<typeof startFeed>>;
let organizationId: string;
let workflowId: string;

beforeAll(async () => {
  feed = await startFeed();
  yard = await startYard({ members: ["worker", "worker"] });
  const browser = (await yard.add("platform")).server.browser;
  ({ organizationId } = await signUpOwner({ parts: yard.parts, browser }, "Ann"));
  const canvas = { nodes: [node("a", "set_fields", { fields: {} })], edges: [] };
  ({ id: workflowId } = await yard.parts.workflows.create(organizationId, { name: "News", canvas }, null));
}, 120_000);
afterAll(async () => {
  await yard?.stop();
  await feed?.stop();
});

/** A JSON feed that answers after a while, so that processes die at every moment of a look. */
async function startFeed() {
  let entries: string[] = [];
  let asked = 0;
  let slowestMs = 0;
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/feed+json" });
    response.end(
      JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items: entries.toReversed().map((id) => ({ id, title: id })) }),
    );
  };
  const server = createServer((_, response) => {
    asked += 1;
    setTimeout(answer, Math.random() * slowestMs, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.json`,
    entries: () => entries,
    asked: () => asked,
    /** Begins again with these. */
    begin(first: string[]): void {
      entries = [...first];
      slowestMs = 0;
    },
    add(more: string[]): void {
      entries = [...entries, ...more];
    },
    slowDown(ms: number): void {
      slowestMs = ms;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function createPoll(): Promise<string> {
  const [row] = await yard.query<{ id: string }>(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, provider_id, poll_id, poll_parameters, next_poll_at)
     VALUES ($1, gen_random_uuid(), $2, 'poll', 'News', true, '[]', 'http', 'new_feed_entry', $3, now()) RETURNING id`,
    [organizationId, workflowId, JSON.stringify({ url: feed.url })],
  );
  return row?.id ?? "";
}

const pokeStatement = {
  name: "poke_polls",
  text: "UPDATE trigger SET next_poll_at = now() WHERE id = $1 AND is_active RETURNING last_polled_at",
};
/** Whatever is under way: so both processes look at the same time, and nobody waits for the look of one that died. */
const poke = async (triggerId: string): Promise<Date | null> =>
  // Whoever died may hold the row for a moment.
  await yard.parts.db.prepared<{ last_polled_at: Date | null }>(pokeStatement, [triggerId]).then(
    ([row]) => row?.last_polled_at ?? null,
    () => null,
  );

const runsStatement = {
  name: "runs_of_poll",
  text: "SELECT trigger_data::json -> 'payload' ->> 'id' AS item, count(*)::int AS count FROM run WHERE trigger_id = $1 GROUP BY 1",
};
async function readRuns(triggerId: string): Promise<Map<string, number>> {
  const rows = await yard.parts.db.prepared<{ item: string; count: number }>(runsStatement, [triggerId]);
  return new Map(rows.map(({ item, count }) => [item, count]));
}

type Storm = { triggerId: string; random: Random; seen: { between: number } };

/** Something new comes, and a process dies at some moment while it is being taken. */
async function killOften(member: Member, kills: number, { triggerId, random, seen }: Storm): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    feed.add(Array.from({ length: entriesPerKill }, () => `entry ${feed.entries().length} ${random.below(1e9)}`));
    const [before, asked] = [(await readRuns(triggerId)).size, feed.asked()];
    for (let tries = 0; tries < 100 && feed.asked() === asked; tries++) await delay(20);
    await delay(random.below(600));
    member.server.child.kill("SIGKILL");
    const after = (await readRuns(triggerId)).size;
    if (after > before && after < feed.entries().length - oldEntries.length) seen.between += 1;
    await yard.restart(member, "SIGKILL");
  }
}

async function settle(triggerId: string): Promise<void> {
  for (const endsAt = Date.now() + settleMs; Date.now() < endsAt; await delay(500)) {
    const runs = await readRuns(triggerId);
    if (feed.entries().every((id) => id.startsWith("old") || runs.has(id))) break;
    await poke(triggerId);
  }
  // Whoever would take something twice gets the chance.
  for (let looks = 0; looks < 3; looks++) {
    await poke(triggerId);
    await delay(1_500);
  }
}

function judge(runs: Map<string, number>): string[] {
  const isOld = (id: string) => id.startsWith("old");
  const expected = feed.entries().filter((id) => !isOld(id));
  return [
    ...expected.filter((id) => !runs.has(id)).map((id) => `${id} has no run`),
    ...[...runs].filter(([, count]) => count > 1).map(([id, count]) => `${id} has ${count} runs`),
    ...[...runs.keys()].filter((id) => isOld(id)).map((id) => `${id} was there before the trigger, and has a run`),
  ];
}

invariant("V42", {
  promise: "each new item of a service starts one run, none lost, none twice",
  rounds: { quick: 8, full: 200 },
  planted: "an item that has its run is forgotten, with the key of its run",
  async check({ rounds, random, isPlanted }) {
    feed.begin(oldEntries);
    const triggerId = await createPoll();
    while ((await poke(triggerId)) === null) await delay(200);
    feed.slowDown(300);
    const poking = setInterval(() => void poke(triggerId), 150);
    const seen = { between: 0 };
    try {
      const lanes = yard.members.filter(({ role }) => role === "worker");
      await Promise.all(lanes.map((member) => killOften(member, Math.ceil(rounds / lanes.length), { triggerId, random, seen })));
    } finally {
      clearInterval(poking);
    }
    if (isPlanted) {
      const [item] = await yard.query<{ item_id: string }>("DELETE FROM polled_item WHERE item_id LIKE 'entry%' RETURNING item_id");
      await yard.query(`DELETE FROM run_once WHERE key LIKE 'poll:%' AND $1 <> ''`, [item?.item_id ?? ""]);
    }
    await settle(triggerId);
    const violations = judge(await readRuns(triggerId));
    reportRounds({ items: feed.entries().length - oldEntries.length, looks: feed.asked(), diedInTheMiddle: seen.between });
    await yard.query("DELETE FROM trigger");
    const isRare = seen.between === 0 && rounds > 100;
    return isRare ? [...violations, "the moment was not hit: nobody died while some of the items had their runs"] : violations;
  },
});
