import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { node } from "../support/runs/workflow-app.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { wrongClock } from "../support/wrong-clock.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard, type Yard } from "./yard.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Twice as long as a process takes to look again, and some. */
const looksMs = 2_500;

let yard: Yard;
let person: Awaited<ReturnType<typeof signUpOwner>>;
let workflowId: string;

beforeAll(async () => {
  yard = await startYard({ members: [] });
  const environment = wrongClock({ jumpMs: -hourMs });
  await Promise.all(Array.from({ length: 3 }, () => yard.add("platform,gateway,worker", { environment })));
  person = await signUpOwner({ parts: yard.parts, browser: serverAt(0).browser }, "Ann");
  const canvas = { nodes: [node("a", "set_fields", { fields: {} })], edges: [] };
  ({ id: workflowId } = await yard.parts.workflows.create(person.organizationId, { name: "Tick", canvas }, null));
}, 90_000);
afterAll(() => yard?.stop());

const serverAt = (index: number): SpawnedServer => yard.members[index]?.server as SpawnedServer;

/** Schedules of every minute whose first tick is what no cron would give. */
async function createSchedules(count: number, firstTick: string): Promise<{ id: string; tick: Date }[]> {
  return await yard.query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, prompt, cron, time_zone, next_fire_at, created_at, updated_at)
     SELECT '${person.organizationId}', gen_random_uuid(), '${workflowId}', 'schedule', 'Often', true, '[]', '', '* * * * *', 'UTC',
       date_trunc('milliseconds', ${firstTick}), now(), now()
     FROM generate_series(1, ${count}) RETURNING id, next_fire_at AS tick`,
  );
}

async function readTicks(): Promise<Map<string, string[]>> {
  const rows = await yard.query<{ id: string; ticks: string[] }>(
    `SELECT trigger_id AS id, array_agg(trigger_data::json -> 'payload' ->> 'scheduledAt' ORDER BY id) AS ticks
     FROM run WHERE kind = 'schedule' GROUP BY trigger_id`,
  );
  return new Map(rows.map(({ id, ticks }) => [id, ticks.sort()]));
}

invariant("V18", {
  promise: "a schedule fires exactly once per tick across processes",
  rounds: { quick: 2, full: 12 },
  planted: "a tick that was fired is due again, and its key is forgotten",
  async check({ rounds, random, isPlanted }) {
    const schedules: { id: string; tick: Date }[] = [];
    for (let round = 0; round < rounds; round++) {
      schedules.push(
        ...(await createSchedules(10, `clock_timestamp() + (400 + random() * 1000) * interval '1 millisecond'`)),
      );
      await disturb(random);
    }
    const [{ id, tick } = { id: "", tick: new Date() }] = schedules;
    if (isPlanted) {
      await yard.query(`DELETE FROM run_once WHERE key = 'schedule:${id}:${tick.toISOString()}'`);
      await yard.query(`UPDATE trigger SET next_fire_at = '${tick.toISOString()}' WHERE id = '${id}'`);
    }
    await delay(looksMs);
    const [{ now } = { now: new Date() }] = await yard.query<{ now: Date }>("SELECT clock_timestamp() AS now");
    const ticks = await readTicks();
    await yard.query("DELETE FROM trigger");
    return schedules.flatMap((schedule) => judge(schedule, ticks.get(schedule.id) ?? [], now));
  },
});

/** While something is due, one process is killed, one is stopped, and the clock of the third goes back by an hour. */
async function disturb(random: Random): Promise<void> {
  const first = random.below(3);
  const [victim, sleeper, jumper] = [first, (first + 1) % 3, (first + 2) % 3].map((index) => yard.members[index]);
  if (!victim || !sleeper || !jumper) throw new Error("three processes are needed");
  const { child } = sleeper.server;
  child.kill("SIGSTOP");
  try {
    await delay(300 + random.below(500));
    jumper.server.child.kill("SIGUSR2");
    await delay(random.below(600));
    await yard.restart(victim, "SIGKILL");
    await delay(random.below(300));
  } finally {
    child.kill("SIGCONT");
  }
}

function judge({ id, tick }: { id: string; tick: Date }, ticks: string[], now: Date): string[] {
  const expected = [tick.toISOString()];
  // One of the three always lives; only what is due this very moment may still come.
  for (let at = Math.ceil((tick.getTime() + 1500) / minuteMs) * minuteMs; at < now.getTime() - looksMs; at += minuteMs)
    expected.push(new Date(at).toISOString());
  const isPossible = (one: string) =>
    one === expected[0] || (one.endsWith(":00.000Z") && one > tick.toISOString() && Date.parse(one) <= +now);
  return [
    ...ticks.filter((one, index) => ticks.indexOf(one) !== index).map((one) => `${id} fired again for ${one}`),
    ...ticks.filter((one) => !isPossible(one)).map((one) => `${id} fired for ${one}, which is no tick`),
    ...expected.filter((one) => !ticks.includes(one)).map((one) => `${id} did not fire for ${one}`),
  ];
}

const countStatement = {
  name: "count_runs_of_trigger",
  text: "SELECT count(*)::int AS count FROM run WHERE trigger_id = $1",
};
const countRuns = async (triggerId: string): Promise<number> =>
  (await yard.parts.ground.db.prepared<{ count: number }>(countStatement, [triggerId]))[0]?.count ?? 0;

/** Turns a trigger off through any of the processes, and says how many runs it had when that was answered. */
async function turnOff(triggerId: string, random: Random): Promise<number> {
  const path = `/api/organizations/${person.organizationId}/triggers/${triggerId}`;
  for (;;) {
    const { status } = await browserAt(random.below(3)).patch(path, { active: false });
    if (status === 200) return await countRuns(triggerId);
    // A database under load may refuse; then nothing was promised yet.
    if (status !== 503) throw new Error(`turning a trigger off answered ${status}`);
  }
}

function browserAt(index: number) {
  const browser = serverAt(index).browser();
  for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value);
  return browser;
}

invariant("V19", {
  promise: "a trigger that was turned off starts no run after the answer",
  rounds: { quick: 100, full: 1000 },
  planted: "somebody turns a webhook on again without being asked, and it is called",
  async check({ rounds, random, isPlanted }) {
    const ticks = await raceWithTicks(rounds / 2, random);
    return [...ticks, ...(await raceWithDeliveries(rounds / 2, random, isPlanted))];
  },
});

async function raceWithTicks(rounds: number, random: Random): Promise<string[]> {
  const violations: string[] = [];
  const seen = { fired: 0, quiet: 0 };
  const atOnce = 50;
  for (let round = 0; round < rounds; round += atOnce) {
    const schedules = await createSchedules(
      atOnce,
      `clock_timestamp() + (100 + random() * 900) * interval '1 millisecond'`,
    );
    const offAfterMs = schedules.map(() => random.below(2_000));
    const counted = await Promise.all(
      schedules.map(async ({ id }, index) => {
        await delay(offAfterMs[index]);
        return await turnOff(id, random);
      }),
    );
    await delay(looksMs / 2);
    for (const [index, { id }] of schedules.entries()) {
      const count = await countRuns(id);
      if (count !== counted[index])
        violations.push(`a schedule had ${counted[index]} runs when it was off, and ${count} later`);
      seen[count === 0 ? "quiet" : "fired"] += 1;
    }
  }
  await yard.query("DELETE FROM trigger");
  return [...violations, ...notHit(seen)];
}

/** Both must have happened. */
const notHit = (seen: Record<string, number>): string[] =>
  Object.entries(seen).flatMap(([name, count]) => (count === 0 ? [`the moment was not hit: nothing was ${name}`] : []));

async function raceWithDeliveries(rounds: number, random: Random, isPlanted: boolean): Promise<string[]> {
  const lanes = 5;
  const seen = { accepted: 0, refused: 0 };
  const violations = await Promise.all(
    Array.from({ length: lanes }, () => raceOneWebhook(rounds / lanes, { random, isPlanted, seen })),
  );
  return [...violations.flat(), ...notHit(seen)];
}

type Race = { random: Random; isPlanted: boolean; seen: { accepted: number; refused: number } };

async function raceOneWebhook(rounds: number, { random, isPlanted, seen }: Race): Promise<string[]> {
  const violations: string[] = [];
  const asked = { workflowId, kind: "webhook", name: "Hook", signature: "none", active: false };
  const { id, webhookUrl } = (await browserAt(0).post(`/api/organizations/${person.organizationId}/triggers`, asked))
    .body;
  const turnOn = () => yard.query(`UPDATE trigger SET is_active = true WHERE id = '${id}'`);
  const deliver = async () => {
    const url = serverAt(random.below(3)).platformUrl + new URL(webhookUrl).pathname;
    return (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).status;
  };
  let [accepted, unclear] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    await turnOn();
    const deliveries = [deliver(), deliver(), deliver()];
    await delay(random.next() ** 2 * 30);
    const counted = await turnOff(id, random);
    if (isPlanted && round === 0) {
      await turnOn();
      await deliver();
    }
    const statuses = await Promise.all(deliveries);
    const count = await countRuns(id);
    if (count !== counted)
      violations.push(`a webhook had ${counted} runs when it was off, and ${count} after what was under way`);
    accepted += statuses.filter((status) => status === 202).length;
    unclear += statuses.filter((status) => status === 503).length;
    if (count < accepted || count > accepted + unclear)
      violations.push(`a webhook has ${count} runs for ${accepted} accepted deliveries`);
    seen.accepted += statuses.filter((status) => status === 202).length;
    seen.refused += statuses.filter((status) => status === 409).length;
    const others = statuses.filter((status) => ![202, 409, 503].includes(status));
    violations.push(...others.map((status) => `a delivery was answered ${status}`));
  }
  return violations;
}
