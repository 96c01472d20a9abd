import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { reportRounds } from "../support/rounds.ts";
import { node } from "../support/runs/workflow-app.ts";
import { invariant } from "./invariant.ts";
import { type NewsService, startNewsService } from "./news-service.ts";
import type { Random } from "./random.ts";
import { type Member, startYard, type Yard } from "./yard.ts";

const entriesPerKill = 5;
const oldEntries = ["old 1", "old 2"];
/** How long nothing may go on once nobody is killed any more; a look that was cut off is made again after 40 s. */
const settleMs = 60_000;

let yard: Yard;
let news: NewsService;
let organizationId: string;
let workflowId: string;
let credentialId: string;

beforeAll(async () => {
  news = await startNewsService();
  yard = await startYard({ members: ["worker", "worker"] });
  const browser = (await yard.add("platform")).server.browser;
  const owner = await signUpOwner({ parts: yard.parts, browser }, "Ann");
  ({ organizationId } = owner);
  const canvas = { nodes: [node("a", "set_fields", { fields: {} })], edges: [] };
  ({ id: workflowId } = await yard.parts.workflows.create(organizationId, { name: "News", canvas }, null));
  const account = { type: "notion", name: "Pages", data: { kind: "bearer", accessToken: "ntn", baseUrl: news.url } };
  credentialId = (await owner.browser.post(`/api/organizations/${organizationId}/credentials`, account)).body.id;
}, 120_000);
afterAll(async () => {
  await yard?.stop();
  await news?.stop();
});

type Source = { provider: string; event: string; parameters: object; credentialId?: string };

async function createPoll({ provider, event, parameters, credentialId: account = undefined }: Source): Promise<string> {
  const [row] = await yard.query<{ id: string }>(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, provider_id, credential_id, poll_id, poll_parameters, next_poll_at)
     VALUES ($1, gen_random_uuid(), $2, 'poll', 'News', true, '[]', $3, $4, $5, $6, now()) RETURNING id`,
    [organizationId, workflowId, provider, account ?? null, event, JSON.stringify(parameters)],
  );
  return row?.id ?? "";
}

/** A feed has no place to go on from; pages have a mark that moves. */
const createPolls = () =>
  Promise.all([
    createPoll({ provider: "http", event: "new_feed_entry", parameters: { url: `${news.url}/feed.json` } }),
    createPoll({
      provider: "notion",
      event: "new_page",
      parameters: { database: "news", includeContent: false },
      credentialId,
    }),
  ]);

const pokeStatement = {
  name: "poke_polls",
  text: "UPDATE trigger SET next_poll_at = now() WHERE id = $1 AND is_active RETURNING last_polled_at",
};
/** Whatever is under way: so both processes look at the same time, and nobody waits for the look of one that died. */
const poke = async (triggerId: string): Promise<Date | null> =>
  // Whoever died may hold the row for a moment.
  await yard.parts.ground.db.prepared<{ last_polled_at: Date | null }>(pokeStatement, [triggerId]).then(
    ([row]) => row?.last_polled_at ?? null,
    () => null,
  );

const runsStatement = {
  name: "runs_of_poll",
  text: "SELECT trigger_data::json -> 'payload' ->> 'id' AS item, count(*)::int AS count FROM run WHERE trigger_id = $1 GROUP BY 1",
};
async function readRuns(triggerId: string): Promise<Map<string, number>> {
  const rows = await yard.parts.ground.db.prepared<{ item: string; count: number }>(runsStatement, [triggerId]);
  return new Map(rows.map(({ item, count }) => [item, count]));
}

type Storm = { triggerIds: string[]; random: Random; seen: { between: number } };

const countRuns = async (triggerIds: string[]): Promise<number> => {
  const sizes = await Promise.all(triggerIds.map(async (triggerId) => (await readRuns(triggerId)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Something new comes, and a process dies at some moment while it is being taken. */
async function killOften(member: Member, kills: number, { triggerIds, random, seen }: Storm): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    news.add(Array.from({ length: entriesPerKill }, () => `entry ${news.ids().length} ${random.below(1e9)}`));
    const [before, asked] = [await countRuns(triggerIds), news.asked()];
    for (let tries = 0; tries < 100 && news.asked() === asked; tries++) await delay(20);
    await delay(random.below(600));
    member.server.child.kill("SIGKILL");
    const after = await countRuns(triggerIds);
    if (after > before && after < (news.ids().length - oldEntries.length) * triggerIds.length) seen.between += 1;
    await yard.restart(member, "SIGKILL");
  }
}

/** Whether there is still time: what is behind after many kills may take its time, as long as it goes on. */
function createPatience(): (runs: number) => boolean {
  let [most, endsAt] = [-1, 0];
  return (runs) => {
    if (runs > most) [most, endsAt] = [runs, Date.now() + settleMs];
    return Date.now() < endsAt;
  };
}

async function settle(triggerId: string): Promise<void> {
  const isPatient = createPatience();
  for (let runs = await readRuns(triggerId); isPatient(runs.size); runs = await readRuns(triggerId)) {
    if (news.ids().every((id) => id.startsWith("old") || runs.has(id))) break;
    await yard.query("UPDATE faulty_item SET next_try_at = now() WHERE trigger_id = $1", [triggerId]);
    await poke(triggerId);
    await delay(500);
  }
  // Whoever would take something twice gets the chance.
  for (let looks = 0; looks < 3; looks++) {
    await poke(triggerId);
    await delay(1_500);
  }
}

function judge(name: string, runs: Map<string, number>): string[] {
  const isOld = (id: string) => id.startsWith("old");
  const expected = news.ids().filter((id) => !isOld(id));
  return [
    ...expected.filter((id) => !runs.has(id)).map((id) => `${name}: ${id} has no run`),
    ...[...runs].filter(([, count]) => count > 1).map(([id, count]) => `${name}: ${id} has ${count} runs`),
    ...[...runs.keys()]
      .filter((id) => isOld(id))
      .map((id) => `${name}: ${id} was there before the trigger, and has a run`),
  ];
}

/** That the page that cannot be read is kept back, alone, and the mark goes on behind it. */
async function judgeFaulty(triggerId: string, faulty: string): Promise<string[]> {
  const isPatient = createPatience();
  for (;;) {
    const kept = await yard.query<{ item_id: string }>("SELECT item_id FROM faulty_item WHERE trigger_id = $1", [
      triggerId,
    ]);
    const runs = await readRuns(triggerId);
    const isAlone = kept.length === 1 && kept[0]?.item_id === faulty && !runs.has(faulty);
    if (isAlone && runs.has(news.ids().at(-1) ?? "")) return [];
    if (!isPatient(runs.size)) return [`${faulty} was not kept back alone: ${JSON.stringify([kept, runs.size])}`];
    await poke(triggerId);
    await delay(500);
  }
}

const readMark = async (triggerId: string): Promise<string | null> =>
  (await yard.query<{ poll_mark: string | null }>("SELECT poll_mark FROM trigger WHERE id = $1", [triggerId]))[0]
    ?.poll_mark ?? null;

invariant("V42", {
  promise:
    "each new item of a service starts one run, none lost, none twice, also where the mark moves and one item cannot be read",
  rounds: { quick: 8, full: 200 },
  planted: "an item that has its run is forgotten, with the key of its run",
  async check({ rounds, random, isPlanted }) {
    news.begin(oldEntries);
    const triggerIds = await createPolls();
    const [feedId, pagesId] = triggerIds;
    for (const triggerId of triggerIds) while ((await poke(triggerId)) === null) await delay(200);
    const firstMark = await readMark(pagesId);
    const faulty = "entry that cannot be read";
    news.add([faulty]);
    news.refuse(faulty);
    news.slowDown(300);
    const poking = setInterval(() => void Promise.all(triggerIds.map(poke)), 150);
    const seen = { between: 0 };
    try {
      const lanes = yard.members.filter(({ role }) => role === "worker");
      await Promise.all(
        lanes.map((member) => killOften(member, Math.ceil(rounds / lanes.length), { triggerIds, random, seen })),
      );
    } finally {
      clearInterval(poking);
      news.slowDown(0);
    }
    if (isPlanted) {
      const [item] = await yard.query<{ item_id: string }>(
        "DELETE FROM polled_item WHERE item_id LIKE 'entry%' RETURNING item_id",
      );
      await yard.query(`DELETE FROM run_once WHERE key LIKE 'poll:%' AND $1 <> ''`, [item?.item_id ?? ""]);
    }
    const notKept = await judgeFaulty(pagesId, faulty);
    if ((await readMark(pagesId)) === firstMark) notKept.push("the mark of the pages did not move");
    news.refuse(undefined);
    await Promise.all(triggerIds.map(settle));
    const violations = [
      ...notKept,
      ...judge("feed", await readRuns(feedId)),
      ...judge("pages", await readRuns(pagesId)),
    ];
    reportRounds({
      items: news.ids().length - oldEntries.length,
      requests: news.asked(),
      diedInTheMiddle: seen.between,
    });
    await yard.query("DELETE FROM trigger");
    const isRare = seen.between === 0 && rounds > 100;
    return isRare
      ? [...violations, "the moment was not hit: nobody died while some of the items had their runs"]
      : violations;
  },
});
