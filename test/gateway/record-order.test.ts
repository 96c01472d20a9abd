import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { callWith, type GatewayPair, saidIn, startGatewayPair } from "../support/gateway/gateway-pair.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";

let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair();
});
afterAll(() => pair?.stop());

/** Lets nobody write records until it is told to. */
async function holdRecords() {
  const client = new pg.Client(pair.database.target);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE tool_call IN SHARE MODE");
  const waiting = "SELECT FROM pg_locks JOIN pg_partition_tree('tool_call') ON relid = relation WHERE NOT granted";
  return {
    whenSomebodyWaits: () =>
      expect
        .poll(async () => (await client.query(waiting)).rowCount, { interval: 5, timeout: 5_000 })
        .toBeGreaterThan(0),
    release: () => client.query("COMMIT"),
  };
}

it("a gateway asks the provider only after the record is committed, and answers only after its end is", async () => {
  const { provider } = pair;
  provider.takeTime(800);
  const team = await pair.createTeam("patient");
  let isAnswered = false;
  const begin = await holdRecords();
  const call = callWith("patience", pair.gateways[0] as SpawnedServer, team).finally(() => (isAnswered = true));
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
