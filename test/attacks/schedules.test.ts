import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import type { Browser } from "../support/browser-client.ts";
import { password, signIn } from "../support/people.ts";
import { reportRounds, roundsOf } from "../support/rounds.ts";
import { plantWorkflow } from "../support/runs/plant-workflow.ts";

let attacked: AttackedServer;
let viewer: Browser;
beforeAll(async () => {
  attacked = await startAttackedServer();
  const { database, server, organizationId } = attacked;
  const email = "vera@example.com";
  const { status } = await server
    .browser()
    .post("/api/sign-up", { name: "Vera", email, password, organizationName: "Vera's team" });
  expect(status).toBe(201);
  await database.query(
    "INSERT INTO member (id, organization_id, user_id, role) SELECT gen_random_uuid(), $1, id, 'viewer' FROM app_user WHERE email = $2",
    [organizationId, email],
  );
  ({ browser: viewer } = await signIn(server, email));
});
afterAll(() => attacked?.stop());

// Beside other tests a process may wait for its turn, so only the long form measures closely.
const mostMs = roundsOf(1500, 250);
const count = 100;

const never = ["0 0 31 2,4,6,9,11 *", "0 0 30 2 *", "59 23 30,31 2 ?", "0 0 31 4 *"];
const seldom = ["0 0 29 2 *", "0 0 * 2 5#5", "59 23 31 12 *", "* * * * *", "0 0 29 2 1#5"];
const zones = ["UTC", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Gaza", "America/St_Johns"];

/** How long somebody else waits at most for an answer meanwhile, and how long the process stood still. */
async function watchOthers(work: Promise<unknown>): Promise<{ waitMs: number; stallMs: number }> {
  let [waitMs, isOver] = [0, false];
  await attacked.eventLoopLag();
  const ended = Promise.allSettled([work]).finally(() => (isOver = true));
  while (!isOver) {
    const askedAt = performance.now();
    await (await fetch(`${attacked.server.platformUrl}/livez`)).text();
    waitMs = Math.max(waitMs, performance.now() - askedAt);
  }
  await ended;
  await work;
  return { waitMs, stallMs: (await attacked.eventLoopLag()).mostMs };
}

async function expectNobodyWaits(work: () => Promise<unknown>): Promise<void> {
  const seen = await watchOthers(work());
  reportRounds(seen);
  expect(seen.stallMs).toBeLessThan(mostMs);
  expect(seen.waitMs).toBeLessThan(2 * mostMs);
}

const previewAll = (crons: string[], status: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const schedule = { cron: crons[index % crons.length], timeZone: zones[index % zones.length] };
      const answer = await viewer.post(`${attacked.path}/schedule-preview`, schedule);
      expect([schedule.cron, answer.status]).toEqual([schedule.cron, status]);
    }),
  );

/** Of the whole life of the process. */
async function processorMs(): Promise<number> {
  const text = await (await fetch(`${attacked.server.platformUrl}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]) * 1000;
}

async function costOf(crons: string[], status: number): Promise<number> {
  const before = await processorMs();
  await previewAll(crons, status);
  return (await processorMs()) - before;
}

const minutes = Array.from({ length: 60 }, (_, minute) => minute).join(",");

it.each<[string, string[], number]>([
  ["days that never come", never, 400],
  ["days that seldom come", seldom, 200],
  ["long lists", [`${minutes} * 29 2 *`], 200],
  ["long lists that repeat a day", [`0 0 ${"29,".repeat(60)}29 2 *`], 400],
])("a viewer's previews of %s hold up nobody, and cost little more than plain ones", async (_, crons, status) => {
  await previewAll(["0 9 * * *"], 200);
  const plainMs = await costOf(["0 9 * * *"], 200);
  await expectNobodyWaits(() => previewAll(crons, status));
  const hostileMs = await costOf(crons, status);
  reportRounds({ plainMs, hostileMs });
  expect(hostileMs).toBeLessThan(3 * plainMs + 200);
});

it("a viewer's lists of a thousand schedules hold up nobody", async () => {
  const { database, organizationId, path } = attacked;
  await database.query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone, next_fire_at)
     SELECT $1, gen_random_uuid(), $2, 'schedule', 'Costly', true, '[]', '0 0 29 2 *', 'Australia/Lord_Howe', now() + interval '2 years'
     FROM generate_series(1, 1000)`,
    [organizationId, await plantWorkflow(database, organizationId)],
  );
  await expectNobodyWaits(() =>
    Promise.all(
      Array.from({ length: count / 10 }, async () => {
        const { status, body } = await viewer.get(`${path}/triggers?limit=200`);
        expect([status, body.data.length]).toEqual([200, 200]);
      }),
    ),
  );
});
