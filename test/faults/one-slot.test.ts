import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import {
  callWith,
  codeIn,
  issueRequest,
  readIssueRecords,
  readSlots,
  saidIn,
} from "../support/gateway/gateway-pair.ts";
import { roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard, type Team, type Yard } from "./yard.ts";

const queueLimit = 200;
let yard: Yard;

beforeAll(async () => {
  yard = await startYard({
    members: ["gateway", "gateway"],
    environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1", SEMAPHORE_MAX_QUEUE: String(queueLimit) },
  });
}, 300_000);
afterAll(() => yard?.stop(), 120_000);

type Waiter = { nonce: string; place: number; kill: () => void; answer: () => Promise<string> };

/** A call that is known to be in the queue, because the gateway has said so. */
async function joinQueue(nonce: string, gateway: SpawnedServer, team: Team): Promise<Waiter> {
  const { body, headers } = issueRequest(nonce, team, { progressToken: nonce });
  const client = new AbortController();
  const response = await fetch(`${gateway.gatewayUrl}/github/mcp`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    } as Record<string, string>,
    signal: client.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  const readOn = async () => {
    const { value, done } = await reader.read();
    text += Buffer.from(value ?? []).toString();
    return done;
  };
  while (!/waiting, \d+ ahead/.test(text))
    if (await readOn()) {
      // A machine with too much to do may refuse a call before it is one, because its database is slow.
      if (text.includes("database_unavailable")) return await joinQueue(`${nonce}, again`, gateway, team);
      throw new Error(`not in the queue: ${text}`);
    }
  return {
    nonce,
    place: Number(/waiting, (\d+) ahead/.exec(text)?.[1]),
    kill: () => client.abort(new DOMException("The client is gone.", "AbortError")),
    async answer() {
      while (!(await readOn()));
      return text;
    },
  };
}

/** The one slot is taken by a call that ends when it is told to. */
async function takeSlot(gateway: SpawnedServer, team: Team) {
  yard.provider.forget();
  const release = yard.provider.hold();
  const call = callWith("first", gateway, team).catch(() => {});
  await yard.provider.whenRunning(1, 10_000);
  return async () => {
    release();
    await call;
  };
}

const served = () => yard.provider.requests.map(({ title }) => title).filter((title) => title !== "first");
const when = (isWrong: boolean, line: string): string[] => (isWrong ? [line] : []);

async function checkQueue(gateway: SpawnedServer, random: Random): Promise<string[]> {
  const team = await yard.createTeam(`queue-${random.below(2 ** 31)}`);
  const release = await takeSlot(gateway, team);
  const waiting: Waiter[] = [];
  while (waiting.length < queueLimit) {
    const joining = Array.from({ length: 10 }, (_, index) =>
      joinQueue(`waiter ${waiting.length + index}`, gateway, team),
    );
    waiting.push(...(await Promise.all(joining)).sort((one, other) => one.place - other.place));
  }
  const refused = await callWith("one too many", gateway, team);
  const answered = [
    refused.status,
    refused.json.error?.code,
    codeIn(refused),
    Number(refused.headers.get("retry-after")) > 0,
  ];

  const isKilled = new Map(waiting.map((waiter) => [waiter, random.below(3) === 0]));
  const killed = waiting.filter((waiter) => isKilled.get(waiter));
  const patient = waiting.filter((waiter) => !isKilled.get(waiter));
  for (const { kill } of killed) kill();
  await expect
    .poll(async () => (await readSlots(gateway)).waiting, { interval: 10, timeout: 10_000 })
    .toBe(patient.length);
  await release();
  const texts = await Promise.all(patient.map(({ answer }) => answer()));
  const records = await readIssueRecords({ database: yard }, team);
  const statusOf = new Map(records.map(({ asked, status }) => [asked, status]));
  const { used, waiting: left } = await readSlots(gateway);
  return [
    ...when(new Set(waiting.map(({ place }) => place)).size !== queueLimit, "two waiters were told the same place"),
    ...when(String(answered) !== "429,-32000,queue_full,true", `one too many was answered with ${answered}`),
    ...when(statusOf.get("one too many") !== "refused", `one too many was recorded as ${statusOf.get("one too many")}`),
    ...patient.flatMap(({ nonce }, index) =>
      when(served()[index] !== nonce, `${served()[index]} was served in place of ${nonce}`),
    ),
    ...patient.flatMap(({ nonce }, index) =>
      when(!texts[index]?.includes(`"title":"${nonce}"`), `${nonce} was answered: ${texts[index]}`),
    ),
    ...patient.flatMap(({ nonce }) =>
      when(statusOf.get(nonce) !== "success", `${nonce} was recorded as ${statusOf.get(nonce)}`),
    ),
    ...killed.flatMap(({ nonce }) =>
      when(statusOf.get(nonce) !== "cancelled", `${nonce} left and was recorded as ${statusOf.get(nonce)}`),
    ),
    ...when(statusOf.size !== records.length, `${records.length} records of ${statusOf.size} calls`),
    ...when(used !== 0 || left !== 0, `in the end ${used} slots were used and ${left} calls waited`),
  ];
}

/** Nobody is served later than twice its place in the order in which all came. */
async function checkStarvation(gateways: SpawnedServer[], random: Random): Promise<string[]> {
  const team = await yard.createTeam(`both-${random.below(2 ** 31)}`);
  const release = await takeSlot(gateways[0] as SpawnedServer, team);
  const waiting: Waiter[] = [];
  for (let index = 0; index < 30; index++)
    waiting.push(await joinQueue(`waiter ${index}`, gateways[(index % 3) % 2] as SpawnedServer, team));
  await release();
  await Promise.all(waiting.map(({ answer }) => answer()));
  const order = served();
  return waiting.flatMap(({ nonce }, index) => {
    const place = order.indexOf(nonce) + 1;
    return when(
      place === 0 || place > 2 * (index + 1),
      `${nonce} of 30 at both gateways was served as number ${place}`,
    );
  });
}

invariant("V8", {
  promise:
    "the queue for a slot is first come, first served at both gateways, is left by killed clients, and has an end",
  rounds: { quick: 1, full: 5 },
  planted: "the database takes the waiters of one gateway for older than they are",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted)
      await yard.plant(
        "BEFORE INSERT OR UPDATE OF tickets ON slot_share",
        `IF NEW.worker_id = (SELECT id FROM slot_worker ORDER BY id LIMIT 1) THEN
           NEW.tickets := ARRAY(SELECT ticket - interval '1 hour' FROM unnest(NEW.tickets) AS ticket ORDER BY ticket);
         END IF; RETURN NEW;`,
      );
    const gateways = yard.of("gateway");
    yard.provider.takeTime(2);
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      violations.push(...(await checkQueue(random.pick(gateways), random)));
      violations.push(...(await checkStarvation(gateways, random)));
    }
    return violations;
  },
});

const limitMs = 1_000;
const toleranceMs = 250;
const neighbourLimitMs = roundsOf(1_000, 500);

/** Calls of another organization, one after the other at both gateways until they are stopped; gives back how long they took. */
function startNeighbours(gateways: SpawnedServer[], team: Team) {
  const violations: string[] = [];
  const elapsed: number[] = [];
  let isOver = false;
  const loop = async () => {
    for (let call = 0; !isOver; call++) {
      const startedAt = performance.now();
      const answer = await callWith(`next door ${call}`, gateways[call % gateways.length] as SpawnedServer, team);
      violations.push(
        ...when(saidIn(answer).title !== `next door ${call}`, `a neighbour was answered: ${answer.text}`),
      );
      elapsed.push(performance.now() - startedAt);
      await delay(20);
    }
  };
  const running = loop();
  return async () => {
    isOver = true;
    await running;
    const slow = elapsed.sort((one, other) => one - other)[Math.floor(elapsed.length * 0.95)] ?? 0;
    return [
      ...violations,
      ...when(elapsed.length < 20, `neighbours made only ${elapsed.length} calls`),
      ...when(slow > neighbourLimitMs, `neighbours waited for ${Math.round(slow)} ms`),
    ];
  };
}

async function checkTimeout(gateways: SpawnedServer[], team: Team, afterJoining: () => void): Promise<string[]> {
  const [one, other] = gateways as [SpawnedServer, SpawnedServer];
  yard.provider.forget();
  const first = callWith("hang 1", one, team);
  await yard.provider.whenRunning(1, 10_000);
  const waiting = [await joinQueue("hang 2", one, team), await joinQueue("hang 3", other, team)];
  const startedAt = performance.now();
  const last = await joinQueue("hang 4", one, team);
  afterJoining();
  const said = await last.answer();
  const elapsedMs = performance.now() - startedAt;
  await Promise.all([first, ...waiting.map(({ answer }) => answer())]);
  const [record] = (await readIssueRecords({ database: yard }, team)).filter(({ asked }) => asked === "hang 4");
  const { status, queueMs = 0 } = record ?? {};
  const lateMs = elapsedMs - queueMs - limitMs;
  const isClosed = () => new Set(yard.provider.brokenOff.filter((title) => title.startsWith("hang"))).size === 4;
  for (const until = performance.now() + 1_000; !isClosed() && performance.now() < until; ) await delay(10);
  const next = await callWith("after all", other, team);
  return [
    ...when(status !== "timed_out" || !said.includes("tool_timeout"), `recorded as ${status}, answered: ${said}`),
    ...when(queueMs <= 2 * limitMs, `waited only for ${queueMs} ms`),
    ...when(Math.abs(lateMs) > toleranceMs, `broken off ${Math.round(lateMs)} ms after its limit`),
    ...when(!isClosed(), `the provider saw the end of ${yard.provider.brokenOff}`),
    ...when(saidIn(next).title !== "after all", `the slot was not free afterwards: ${next.text}`),
  ];
}

invariant("V10", {
  promise: "a call has its whole time after its wait for a slot, and is broken off then, alone, with its connection",
  rounds: { quick: 1, full: 10 },
  planted: "the database answers half a second late",
  async check({ rounds, isPlanted }) {
    const environment = { MCP_MAX_EXECUTION_TIME: `${limitMs}ms` };
    const added = await Promise.all([yard.add("gateway", { environment }), yard.add("gateway", { environment })]);
    const gateways = added.map(({ server }) => server);
    yard.provider.takeTime(5);
    const neighbours = startNeighbours(gateways, await yard.createTeam("neighbours"));
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const team = await yard.createTeam(`late-${round}`);
      violations.push(
        ...(await checkTimeout(gateways, team, () => (yard.proxy.weather.delayMs = isPlanted ? 250 : 0))),
      );
    }
    yard.proxy.weather.delayMs = 0;
    return [...violations, ...(await neighbours())];
  },
});
