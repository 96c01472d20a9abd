import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startDatabaseProxy } from "./support/database-proxy.ts";
import {
  callWith,
  codeIn,
  type GatewayPair,
  killGateway,
  readIssueRecords,
  saidIn,
  startGatewayPair,
  type Team,
} from "./support/gateway-pair.ts";
import type { RpcAnswer } from "./support/mcp-client.ts";
import { reportRounds, roundsLimitMs, roundsOf } from "./support/rounds.ts";
import type { SpawnedServer } from "./support/spawned-server.ts";

let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair({
    environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "4" },
    async reach({ target }) {
      proxy = await startDatabaseProxy(target);
      const { user, host, port, database } = proxy.target;
      return `postgres://${user}@${host}:${port}/${database}?sslmode=disable`;
    },
  });
});
afterAll(async () => {
  await pair?.stop();
  proxy?.close();
});
beforeEach(() => {
  Object.assign(proxy.weather, { isBlackHole: false, isCut: false });
  pair.provider.forget();
  pair.provider.takeTime(20);
});

const gatewayAt = (index: number) => pair.gateways[index % 2] as SpawnedServer;
const isReady = async ({ gatewayUrl }: SpawnedServer) => (await fetch(`${gatewayUrl}/readyz`).catch(() => undefined))?.status === 200;

async function timed(nonce: string, gateway: SpawnedServer, team: Team) {
  const startedAt = performance.now();
  const answer = await callWith(nonce, gateway, team);
  return { status: answer.status, code: codeIn(answer), elapsedMs: performance.now() - startedAt };
}

/** Records of calls that were told as failed because of the database are closed when it is back. */
const expectNothingRunning = (team: Team) =>
  expect
    .poll(async () => (await readIssueRecords(pair, team)).filter(({ status }) => status === "running"), { timeout: 10_000 })
    .toEqual([]);

describe("two gateways whose database goes away", () => {
  it.each(["falls silent", "is cut off"] as const)(
    "because it %s refuse every call with 503 within two seconds, never say yes, and are back within five",
    async (fault) => {
      const team = await pair.createTeam(fault);
      expect((await timed("before", gatewayAt(0), team)).status).toBe(200);
      const release = pair.provider.hold();
      const running = [0, 1, 2, 3].map((index) => timed(`running ${index}`, gatewayAt(index), team));
      await pair.provider.whenRunning(4, 10_000);
      if (fault === "falls silent") proxy.weather.isBlackHole = true;
      else proxy.cut();
      const asked = Array.from({ length: 20 }, (_, index) => timed(`during ${index}`, gatewayAt(index), team));
      await delay(50);
      release();
      // What the provider did is not known to be recorded, so nobody may be told that it was done.
      for (const { status, code } of await Promise.all(running)) expect([status, code]).toEqual([503, "record_unavailable"]);
      const answers = await Promise.all(asked);
      for (const { status, code } of answers) expect([status, code]).toEqual([503, "database_unavailable"]);
      expect(Math.max(...answers.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(2_000);
      expect(await Promise.all(pair.gateways.map(isReady))).toEqual([false, false]);
      expect(pair.provider.requests.filter(({ title }) => title.startsWith("during"))).toEqual([]);

      Object.assign(proxy.weather, { isBlackHole: false, isCut: false });
      for (const gateway of pair.gateways) await expect.poll(() => isReady(gateway), { timeout: 5_000 }).toBe(true);
      for (const gateway of pair.gateways)
        await expect.poll(async () => (await timed(`after ${randomUUID()}`, gateway, team)).status, { timeout: 5_000 }).toBe(200);
      await expectNothingRunning(team);
      const records = await readIssueRecords(pair, team);
      expect(new Set(records.map(({ asked: nonce }) => nonce)).size).toBe(records.length);
      expect(records.filter(({ asked: nonce }) => nonce.startsWith("during"))).toEqual([]);
    },
    60_000,
  );
});

describe("a gateway that is told to stop under load", () => {
  it(
    "fails no call of clients who try the other one when it is gone",
    async () => {
      const team = await pair.createTeam("rolling");
      const answers = new Map<string, string | undefined>();
      const failures: string[] = [];
      let isOver = false;
      /** As behind a load balancer, which asks who is ready and tries another one when nobody listens; anything else is a failure. */
      const ready = [true, true];
      const probe = async (index: number) => {
        for (; !isOver; await delay(100)) ready[index] = await isReady(gatewayAt(index));
      };
      const callAnywhere = async (nonce: string, index: number): Promise<RpcAnswer> => {
        const chosen = ready[index % 2] ? index : index + 1;
        try {
          return await callWith(nonce, gatewayAt(chosen), team);
        } catch (error) {
          const { code } = ((error as Error).cause ?? {}) as { code?: string };
          if (code !== "ECONNREFUSED") throw new Error(`${code}: ${String((error as Error).cause)}`);
          await delay(5);
          return await callAnywhere(nonce, chosen + 1);
        }
      };
      const loop = async (index: number) => {
        while (!isOver) {
          const nonce = randomUUID();
          const answer = await callAnywhere(nonce, index).catch((error: Error) => void failures.push(error.message));
          // A machine with too much to do may refuse a call because its database is slow, which is not the stop.
          if (answer && codeIn(answer) !== "database_unavailable") answers.set(nonce, saidIn(answer).title ?? answer.text);
        }
      };
      const clients = [probe(0), probe(1), ...Array.from({ length: 12 }, (_, index) => loop(index))];
      let longestMs = 0;
      for (let round = 0; round < roundsOf(2, 30); round++) {
        await delay(400);
        const stopping = gatewayAt(round);
        const toldAt = performance.now();
        const { code } = await stopping.stop("SIGTERM");
        longestMs = Math.max(longestMs, performance.now() - toldAt);
        expect(code).toBe(0);
        pair.gateways[round % 2] = await pair.start(stopping.ports);
      }
      isOver = true;
      await Promise.all(clients);
      expect(failures).toEqual([]);
      expect([...answers].filter(([nonce, said]) => said !== nonce)).toEqual([]);
      expect(answers.size).toBeGreaterThan(50);
      expect(longestMs).toBeLessThan(30_000);
      reportRounds({ answers: answers.size, failures: 0, longestStopMs: Math.round(longestMs) });
      const records = await readIssueRecords(pair, team);
      expect(records.filter(({ status }) => status !== "success")).toEqual([]);
      expect(records.map(({ asked }) => asked).sort()).toEqual([...answers.keys()].sort());
    },
    roundsLimitMs,
  );

  it("finishes what runs and what waits, and ends when the last one is answered", async () => {
    const team = await pair.createTeam("leaving");
    const gateway = gatewayAt(0);
    const release = pair.provider.hold();
    const calls = Array.from({ length: 10 }, (_, index) => callWith(`last ${index}`, gateway, team));
    await pair.provider.whenRunning(4, 10_000);
    const stopped = gateway.stop("SIGTERM");
    await expect.poll(() => isReady(gateway)).toBe(false);
    await delay(200);
    expect(gateway.child.exitCode).toBeNull();
    release();
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => saidIn(answer).title)).toEqual(answers.map((_, index) => `last ${index}`));
    expect((await stopped).code).toBe(0);
    expect((await readIssueRecords(pair, team)).filter(({ status }) => status !== "success")).toEqual([]);
    await killGateway(gateway);
  });
});
