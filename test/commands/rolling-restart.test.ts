import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportRounds, roundsOf } from "../support/rounds.ts";
import { type RunPair, startRunPair } from "../support/runs/run-pair.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";

const roles = ["platform", "platform", "worker", "worker"];
/** What docs/deployment.md says that one process opens at most. */
const mostConnections: Record<string, number> = {
  switchyard: 10,
  "switchyard runs": 5,
  "switchyard queue": 2,
  "switchyard slots": 1,
  "switchyard live": 1,
  "switchyard upkeep": 2,
  "switchyard migration": 1,
};
let pair: RunPair;

beforeAll(async () => {
  pair = await startRunPair({ roles });
  pair.provider.takeTime(20);
}, 300_000);
afterAll(() => pair?.stop(), 60_000);

/** Which platforms the load balancer gives requests to: one is taken out before it is stopped, and what it got before it answers. */
const isIn = [true, true];

function startLoad() {
  const accepted = new Map<string, string>();
  const failures: string[] = [];
  let isOver = false;

  const trigger = async (
    nonce: string,
    index: number,
  ): Promise<{ status: number; body: { id: string; code?: string } }> => {
    const { platformUrl } = pair.servers[isIn[index % 2] ? index % 2 : (index + 1) % 2] as SpawnedServer;
    const response = await fetch(`${platformUrl}/task-runner/trigger/${pair.workflowId}`, {
      method: "POST",
      // Waited for, so that no more is asked for than the workers can do.
      headers: { "x-api-key": pair.ann.key, "content-type": "application/json", prefer: "wait=5", connection: "close" },
      body: JSON.stringify({ runtimePrompt: nonce }),
    });
    return { status: response.status, body: (await response.json()) as { id: string } };
  };
  const loop = async (index: number) => {
    for (; !isOver; await delay(50)) {
      const nonce = pair.nonce();
      const answer = await trigger(nonce, index).catch((error: Error) => void failures.push(String(error.cause)));
      if (answer?.status === 200 || answer?.status === 202) accepted.set(answer.body.id, nonce);
      // A machine with too much to do may refuse because its database is slow, which is not the stop.
      else if (answer && answer.body.code !== "database_unavailable")
        failures.push(`${answer.status} ${answer.body.code}`);
    }
  };
  const loops = [0, 1, 2, 3].map(loop);
  return {
    accepted,
    failures,
    async whenMore(count: number): Promise<void> {
      const wanted = accepted.size + count;
      await expect.poll(() => accepted.size, { timeout: 90_000 }).toBeGreaterThanOrEqual(wanted);
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

/** How long its stop took. */
async function restart(index: number): Promise<number> {
  const stopping = pair.servers[index] as SpawnedServer;
  isIn[index] = false;
  const toldAt = performance.now();
  expect((await stopping.stop("SIGTERM")).code).toBe(0);
  const stopMs = performance.now() - toldAt;
  pair.servers[index] = await pair.start(stopping.ports, roles[index]);
  isIn[index] = true;
  return stopMs;
}

/** The most connections of each kind that were open at once. */
function watchConnections() {
  const most: Record<string, number> = {};
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await delay(200)) {
      const rows = await pair.database.query<{ name: string; count: number }>(
        `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'switchyard%' GROUP BY application_name`,
      );
      for (const { name, count } of rows) most[name] = Math.max(most[name] ?? 0, count);
    }
  })();
  return {
    most,
    async stop(): Promise<void> {
      isOver = true;
      await watching;
    },
  };
}

describe("two platforms and two workers that are restarted one after the other under load", () => {
  it(
    "refuse no trigger, end every run they accepted and execute each node once",
    async () => {
      const load = startLoad();
      const connections = watchConnections();
      let longestMs = 0;
      try {
        for (let round = 0; round < roundsOf(1, 10) * roles.length; round++) {
          await load.whenMore(5);
          longestMs = Math.max(longestMs, await restart(round % roles.length));
        }
        await load.whenMore(5);
      } finally {
        await Promise.all([load.stop(), connections.stop()]);
      }
      expect(load.failures).toEqual([]);
      const statuses = await pair.statuses([...load.accepted.keys()], 120_000);
      expect([statuses.length, statuses.filter((status) => status !== "succeeded")]).toEqual([load.accepted.size, []]);
      // Of those that were accepted: one that was refused with the database away may have been stored all the same.
      const wanted = [...load.accepted.values()].flatMap((nonce) => pair.nodeIds.map((id) => `${nonce} ${id}`));
      const known = new Set(wanted);
      const executed = pair.provider.requests.map(({ title }) => title).filter((title) => known.has(title));
      expect(executed.sort()).toEqual(wanted.sort());
      expect(longestMs).toBeLessThan(30_000);
      // The application of the test is one process more.
      const tooMany = Object.entries(connections.most).filter(
        ([name, count]) => count > (mostConnections[name] ?? 0) * (roles.length + 1),
      );
      expect(tooMany).toEqual([]);
      reportRounds({
        runs: load.accepted.size,
        failures: 0,
        longestStopMs: Math.round(longestMs),
        ...connections.most,
      });
    },
    roundsOf(300_000, 3_600_000),
  );
});
