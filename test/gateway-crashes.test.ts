import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Pool } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../src/base/clock.ts";
import { createRecorder } from "../src/history/record.ts";
import { createSweep } from "../src/history/sweep.ts";
import { silentLog } from "../src/storage/test-postgres.ts";
import {
  callWith,
  type GatewayPair,
  issueRequest,
  killGateway,
  readIssueRecords,
  saidIn,
  startClients,
  startGatewayPair,
  type Team,
} from "./support/gateway-pair.ts";
import type { RpcAnswer } from "./support/mcp-client.ts";
import { reportRounds, roundsLimitMs, roundsOf } from "./support/rounds.ts";
import type { SpawnedServer } from "./support/spawned-server.ts";

const slots = 4;
const leaseMs = 10_000;
let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair({ environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(slots) } });
});
afterAll(() => pair?.stop());
beforeEach(async () => {
  await pair.database.query("DELETE FROM tool_call");
  pair.provider.forget();
});

/** A machine with too much to do may refuse a call because its database is slow; that is no answer of a tool. */
const isAnswered = ([, { status }]: [string, RpcAnswer]) => status !== 503;

const gatewayAt = (index: number) => pair.gateways[index] as SpawnedServer;

/** What every process does after a longer silence; nothing may be running when this is called. */
async function sweepNow(): Promise<void> {
  const surroundings = { db: pair.parts.db, log: silentLog, onChange: () => {} };
  const recorder = createRecorder({ ...surroundings, clock: systemClock });
  const sweep = createSweep({ ...surroundings, recorder, beatIntervalMs: 50, silentMs: 300 });
  sweep.start();
  await delay(1_000);
  await sweep.stop();
}

/** Lets nobody write records until it is told to. */
async function holdRecords() {
  const client = new pg.Client(pair.database.target);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE tool_call IN SHARE MODE");
  const waiting = "SELECT FROM pg_locks JOIN pg_partition_tree('tool_call') ON relid = relation WHERE NOT granted";
  return {
    whenSomebodyWaits: () =>
      expect.poll(async () => (await client.query(waiting)).rowCount, { interval: 5, timeout: 5_000 }).toBeGreaterThan(0),
    release: () => client.query("COMMIT"),
  };
}

/** Sends the next request before the last one is answered, on one connection. */
async function callPipelined(nonces: string[], gateway: SpawnedServer, team: Team): Promise<Pick<RpcAnswer, "json">[]> {
  const pool = new Pool(gateway.gatewayUrl, { connections: 1, pipelining: nonces.length });
  try {
    return await Promise.all(
      nonces.map(async (nonce) => {
        const { body, headers } = issueRequest(nonce, team);
        const { body: answer } = await pool.request({
          path: "/github/mcp",
          method: "POST",
          // Otherwise it would wait for the answer.
          idempotent: true,
          headers: { "content-type": "application/json", accept: "application/json", ...headers },
          body: JSON.stringify(body),
        });
        return { json: (await answer.json()) as RpcAnswer["json"] };
      }),
    );
  } finally {
    await pool.close();
  }
}

async function callInTurn(nonces: string[], gateway: SpawnedServer, team: Team): Promise<RpcAnswer[]> {
  const answers: RpcAnswer[] = [];
  for (const nonce of nonces) answers.push(await callWith(nonce, gateway, team));
  return answers;
}

describe("two gateways on one database", () => {
  it("ask the provider only after the record is committed, and answer only after its end is", async () => {
    const { provider } = pair;
    provider.takeTime(800);
    const team = await pair.createTeam("patient");
    let isAnswered = false;
    const begin = await holdRecords();
    const call = callWith("patience", gatewayAt(0), team).finally(() => (isAnswered = true));
    await begin.whenSomebodyWaits();
    await delay(100);
    expect(provider.requests).toEqual([]);
    await begin.release();
    await expect.poll(() => provider.requests.length, { interval: 5, timeout: 5_000 }).toBe(1);
    const end = await holdRecords();
    await end.whenSomebodyWaits();
    await delay(100);
    expect(isAnswered).toBe(false);
    await end.release();
    expect(saidIn(await call)).toEqual({ id: "patience", title: "patience" });
  });

  it(
    "have a committed record of every answer and every request to the provider when one is killed",
    async () => {
      const { provider, gateways } = pair;
      provider.takeTime(60);
      let answered = 0;
      const asked = new Set<string>();
      const teams: Team[] = [];
      const bystanders = await pair.createTeam("bystanders");
      const rounds = roundsOf(5, 500);
      for (let round = 0; round < rounds; round++) {
        const team = await pair.createTeam(`round-${round}`);
        teams.push(team);
        const doomed = round % 2;
        const lost = startClients(6, gatewayAt(doomed), team);
        const kept = startClients(2, gatewayAt(1 - doomed), bystanders);
        await lost.whenAnswered;
        if (round % 3 > 0) await delay(Math.random() * 300);
        await killGateway(gatewayAt(doomed));
        await Promise.all([lost.stop(), kept.stop()]);
        const restarted = pair.start(gatewayAt(doomed).ports);
        const said = [...lost.answers, ...kept.answers].filter(isAnswered).map(([nonce, answer]) => [nonce, saidIn(answer)]);
        expect(said).toEqual(said.map(([nonce]) => [nonce, { id: nonce, title: nonce }]));
        const succeeded = (await readIssueRecords(pair, team)).filter(
          ({ status, asked: nonce, said: title }) => status === "success" && title === nonce,
        );
        const recorded = new Set(succeeded.map(({ asked: nonce }) => nonce));
        const nonces = [...lost.answers].filter(isAnswered).map(([nonce]) => nonce);
        expect(nonces.filter((nonce) => !recorded.has(nonce))).toEqual([]);
        answered += nonces.length;
        gateways[doomed] = await restarted;
      }
      expect(answered).toBeGreaterThan(rounds);

      await sweepNow();
      const records = [];
      for (const team of [...teams, bystanders]) records.push(...(await readIssueRecords(pair, team)));
      const statuses = Map.groupBy(records, ({ status }) => status);
      expect([...statuses.keys()].filter((status) => status !== "refused").sort()).toEqual(["interrupted", "success"]);
      for (const record of records) asked.add(record.asked);
      expect(asked.size).toBe(records.length);
      const heard = provider.requests.map(({ title }) => title);
      expect(new Set(heard).size).toBe(heard.length);
      expect(heard.filter((nonce) => !asked.has(nonce))).toEqual([]);
      const interrupted = statuses.get("interrupted")?.length;
      reportRounds({ rounds, answered, records: records.length, interrupted, requests: heard.length, missing: 0 });
    },
    roundsLimitMs,
  );

  it(
    "give each of many clients of two organizations its own answer, also those who do not wait for it to ask again",
    async () => {
      pair.provider.takeTime(roundsOf(15, 2));
      const teams = [await pair.createTeam("red"), await pair.createTeam("blue")] as const;
      const [clients, calls] = [roundsOf(40, 200), roundsOf(10, 500)];
      const callOften = async (client: number) => {
        const team = teams[client % 2] as Team;
        const gateway = gatewayAt(Math.floor(client / 2) % 2);
        const call = client % 5 === 0 ? callPipelined : callInTurn;
        for (let done = 0; done < calls; done += 10) {
          const nonces = Array.from({ length: 10 }, () => `${team.name} ${randomUUID()}`);
          const answers = await call(nonces, gateway, team);
          expect(answers.map(saidIn)).toEqual(nonces.map((nonce) => ({ id: nonce, title: nonce })));
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, client) => callOften(client)));
      const records = (await Promise.all(teams.map((team) => readIssueRecords(pair, team)))).flat();
      expect(records).toHaveLength(clients * calls);
      expect(records.filter(({ status, asked, said }) => status !== "success" || asked !== said)).toEqual([]);
      expect(pair.provider.requests).toHaveLength(clients * calls);
      const isMixedUp = ({ title, authorization }: { title: string; authorization: string }) =>
        authorization !== `Bearer token-of-${title.split(" ")[0]}`;
      expect(pair.provider.requests.filter(isMixedUp)).toEqual([]);
      reportRounds({ clients, answers: records.length, mixedUp: 0 });
    },
    roundsLimitMs,
  );

  it(
    "never run more calls at once than there are slots, and as many again after both were killed",
    async () => {
      const { provider, gateways } = pair;
      provider.takeTime(50);
      const team = await pair.createTeam("crowd");
      const crowd = gateways.map((gateway) => startClients(8, gateway, team));
      await delay(1_000);
      await provider.whenRunning(slots, 10_000);
      await Promise.all(gateways.map(killGateway));
      const killedAt = performance.now();
      gateways.splice(0, 2, ...(await Promise.all([pair.start(gatewayAt(0).ports), pair.start(gatewayAt(1).ports)])));
      await Promise.all(crowd.map(({ stop }) => stop()));
      const again = gateways.map((gateway) => startClients(8, gateway, team));
      const leftMs = killedAt + leaseMs - performance.now();
      // Both have only just started.
      await provider.whenRunning(slots, Math.max(leftMs + 2_000, 5_000));
      const backMs = performance.now() - killedAt;
      await delay(500);
      const pauses = await pauseOften(roundsOf(0, 10_000));
      await Promise.all(again.map(({ stop }) => stop()));
      expect(provider.seen.most).toBe(slots);
      for (const { answers } of again) expect(answers.size).toBeGreaterThan(0);
      reportRounds({ calls: provider.requests.length, pauses, most: provider.seen.most, slots, allInUseAgainAfterMs: Math.round(backMs) });
    },
    roundsLimitMs,
  );
});

/** Stops one gateway after the other for longer than its lease until the provider has seen so many calls. */
async function pauseOften(calls: number): Promise<number> {
  let pauses = 0;
  for (; pair.provider.requests.length < calls; pauses++) {
    const { child } = gatewayAt(pauses % 2);
    child.kill("SIGSTOP");
    await delay(leaseMs + 2_000);
    child.kill("SIGCONT");
    await delay(3_000 + Math.random() * 1_000);
  }
  return pauses;
}
