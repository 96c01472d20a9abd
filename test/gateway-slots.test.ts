import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callWith,
  codeIn,
  type GatewayPair,
  issueRequest,
  readIssueRecords,
  readSlots,
  saidIn,
  startGatewayPair,
  type Team,
} from "./support/gateway-pair.ts";
import { createMcpClient, type RpcAnswer } from "./support/mcp-client.ts";
import { reportRounds, roundsLimitMs, roundsOf } from "./support/rounds.ts";
import type { SpawnedServer } from "./support/spawned-server.ts";

const limitMs = 2_000;
const queueLimit = roundsOf(40, 200);
let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair({
    environment: {
      SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1",
      SEMAPHORE_MAX_QUEUE: String(queueLimit),
      MCP_MAX_EXECUTION_TIME: `${limitMs / 1000}s`,
    },
  });
});
afterAll(() => pair?.stop());

const gatewayAt = (index: number) => pair.gateways[index % 2] as SpawnedServer;

const leave = new DOMException("The client is gone.", "AbortError");

/** A call that is known to be in the queue, because the gateway has said so. */
async function joinQueue(nonce: string, gateway: SpawnedServer, team: Team) {
  const { body, headers } = issueRequest(nonce, team, { progressToken: nonce });
  const client = new AbortController();
  const response = await fetch(`${gateway.gatewayUrl}/github/mcp`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers } as Record<string, string>,
    signal: client.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  const readOn = async () => {
    const { value, done } = await reader.read();
    text += Buffer.from(value ?? []).toString();
    return done;
  };
  while (!/waiting, \d+ ahead/.test(text)) if (await readOn()) throw new Error(`not in the queue: ${text}`);
  return {
    nonce,
    place: Number(/waiting, (\d+) ahead/.exec(text)?.[1]),
    kill: () => client.abort(leave),
    async answer(): Promise<string> {
      while (!(await readOn()));
      return text;
    },
  };
}

async function whenAsked(nonce: string): Promise<void> {
  while (!pair.provider.requests.some(({ title }) => title === nonce)) await delay(5);
}

describe("the one slot of an organization, on two gateways", () => {
  it(
    "is free after calls that succeed, fail, are dropped, take too long, are cancelled or make no sense, and each has one record",
    async () => {
      const { provider } = pair;
      const teams = await Promise.all(Array.from({ length: 10 }, (_, index) => pair.createTeam(`mixed-${index}`)));
      const expected = new Map<string, string[]>();
      const endings: [kind: string, share: number, statuses: string[]][] = [
        ["hang", 1, ["timed_out"]],
        ["fail", 4, ["failed"]],
        ["drop", 4, ["failed"]],
        ["cancel", 6, ["cancelled", "success"]],
        ["legacy-cancel", 4, ["cancelled", "success"]],
        ["invalid", 4, ["refused"]],
        ["ok", 7, ["success"]],
      ];
      const kinds = endings.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
      const callAs = async (kind: string, nonce: string, gateway: SpawnedServer, team: Team): Promise<RpcAnswer | undefined> => {
        if (kind === "invalid") return await callWithBadBody(nonce, gateway, team);
        if (kind === "legacy-cancel") return await callAndCancel(nonce, gateway, team);
        if (kind !== "cancel") return await callWith(nonce, gateway, team);
        const client = new AbortController();
        setTimeout(() => client.abort(leave), 20 + Math.random() * 200);
        return await callWith(nonce, gateway, team, client.signal).catch(() => undefined);
      };
      const callAll = async (team: Team): Promise<void> => {
        const left = Array.from({ length: roundsOf(1, 34) }, () => kinds)
          .flat()
          .sort(() => Math.random() - 0.5);
        const loop = async (gateway: SpawnedServer) => {
          for (let kind = left.pop(); kind !== undefined; kind = left.pop()) {
            const nonce = `${kind} ${randomUUID()}`;
            const answer = await callAs(kind, nonce, gateway, team);
            // A machine with too much to do may refuse a call before it is one, because its database is slow.
            if (answer?.status !== 503) expected.set(nonce, endings.find(([name]) => name === kind)?.[2] ?? []);
          }
        };
        await Promise.all([0, 1, 2, 3, 4].map((index) => loop(gatewayAt(index))));
      };
      await Promise.all(teams.map(callAll));

      const ids = teams.map(({ organizationId }) => organizationId);
      const held = "SELECT FROM slot_share WHERE organization_id = ANY ($1)";
      await expect.poll(() => pair.database.query(held, [ids]), { timeout: 10_000 }).toEqual([]);
      const records = (await Promise.all(teams.map((team) => readIssueRecords(pair, team)))).flat();
      const byNonce = Map.groupBy(records, ({ asked, id }) => asked ?? id);
      for (const [nonce, statuses] of expected) {
        const found = byNonce.get(nonce) ?? [];
        // A client that leaves early may not have been heard at all.
        if (nonce.startsWith("cancel") && found.length === 0) continue;
        expect(found.map(({ status }) => statuses.includes(status) || status)).toEqual([true]);
      }
      expect(records.filter(({ status }) => status === "cancelled").length).toBeGreaterThan(10);
      expect(new Set(provider.requests.map(({ title }) => title)).size).toBe(provider.requests.length);
      reportRounds({ calls: expected.size, records: records.length, held: 0, ...countBy(records, ({ status }) => status) });
    },
    roundsLimitMs,
  );

  it("gives a call its whole time after a wait of more than twice as long, and breaks it off then, alone", async () => {
    const [team, neighbours] = await Promise.all([pair.createTeam("late"), pair.createTeam("neighbours")]);
    let isOver = false;
    const watch = async () => {
      const elapsed: number[] = [];
      for (let call = 0; !isOver; call++) {
        const startedAt = performance.now();
        expect(saidIn(await callWith(`next door ${call}`, gatewayAt(call), neighbours)).title).toBe(`next door ${call}`);
        elapsed.push(performance.now() - startedAt);
        await delay(20);
      }
      return elapsed.sort((one, other) => one - other);
    };
    const watching = watch();
    const first = callWith("hang 1", gatewayAt(0), team);
    await whenAsked("hang 1");
    const second = await joinQueue("hang 2", gatewayAt(0), team);
    const third = await joinQueue("hang 3", gatewayAt(1), team);
    const startedAt = performance.now();
    const last = await joinQueue("hang 4", gatewayAt(0), team);
    expect(await last.answer()).toContain("tool_timeout");
    const elapsedMs = performance.now() - startedAt;
    await Promise.all([first, second.answer(), third.answer()]);
    isOver = true;
    const [record] = (await readIssueRecords(pair, team)).filter(({ asked }) => asked === "hang 4");
    expect(record).toMatchObject({ status: "timed_out", code: "tool_timeout" });
    const queueMs = record?.queueMs ?? 0;
    expect(queueMs).toBeGreaterThan(2 * limitMs);
    expect(Math.abs(elapsedMs - queueMs - limitMs)).toBeLessThan(250);
    await expect
      .poll(() => pair.provider.brokenOff.filter((title) => /^hang \d$/.test(title)).sort())
      .toEqual(["hang 1", "hang 2", "hang 3", "hang 4"]);
    expect(saidIn(await callWith("after all", gatewayAt(1), team)).title).toBe("after all");
    const elapsed = await watching;
    expect(elapsed.length).toBeGreaterThan(20);
    expect(elapsed.at(Math.floor(elapsed.length * 0.95))).toBeLessThan(limitMs / 2);
  }, 60_000);
});

describe("the queue for the one slot of an organization", () => {
  it("is first come, first served, is left by killed clients, and has an end that callers are told of", async () => {
    const { provider } = pair;
    const [team, gateway] = [await pair.createTeam("queue"), gatewayAt(0)];
    provider.forget();
    const release = provider.hold();
    const first = callWith("first", gateway, team);
    await provider.whenRunning(1, 10_000);
    const joining = Array.from({ length: queueLimit }, (_, index) => joinQueue(`waiter ${index}`, gateway, team));
    const waiting = (await Promise.all(joining)).sort((one, other) => one.place - other.place);
    expect(new Set(waiting.map(({ place }) => place)).size).toBe(queueLimit);
    const refused = await callWith("one too many", gateway, team);
    expect([refused.status, refused.json.error?.code, codeIn(refused)]).toEqual([429, -32000, "queue_full"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    const killed = waiting.filter((_, index) => index % 3 === 1);
    const patient = waiting.filter((_, index) => index % 3 !== 1);
    for (const { kill } of killed) kill();
    await expect.poll(async () => (await readSlots(gateway)).waiting, { interval: 10 }).toBe(patient.length);
    release();
    expect(saidIn(await first).title).toBe("first");
    for (const { nonce, answer } of patient) expect(await answer()).toContain(`"title":"${nonce}"`);
    expect(provider.requests.map(({ title }) => title)).toEqual(["first", ...patient.map(({ nonce }) => nonce)]);
    expect(await readSlots(gateway)).toMatchObject({ used: 0, waiting: 0 });
    const records = await readIssueRecords(pair, team);
    const statusOf = Object.fromEntries(records.map(({ asked, status }) => [asked, status]));
    expect(records).toHaveLength(queueLimit + 2);
    expect(new Set(killed.map(({ nonce }) => statusOf[nonce]))).toEqual(new Set(["cancelled"]));
    expect([statusOf["one too many"], statusOf[patient[0]?.nonce ?? ""]]).toEqual(["refused", "success"]);
  }, 60_000);

  it("starves nobody who waits at the other gateway", async () => {
    const { provider } = pair;
    const team = await pair.createTeam("both");
    provider.forget();
    provider.takeTime(5);
    const release = provider.hold();
    const first = callWith("first", gatewayAt(0), team);
    await provider.whenRunning(1, 10_000);
    const waiting: Awaited<ReturnType<typeof joinQueue>>[] = [];
    for (let index = 0; index < 30; index++) waiting.push(await joinQueue(`waiter ${index}`, gatewayAt(index % 3), team));
    release();
    await Promise.all([first, ...waiting.map(({ answer }) => answer())]);
    const served = provider.requests.map(({ title }) => title).filter((title) => title.startsWith("waiter"));
    expect(served).toHaveLength(30);
    const places = waiting.map(({ nonce }, index) => (served.indexOf(nonce) + 1) / (index + 1));
    expect(Math.max(...places)).toBeLessThanOrEqual(2);
  });
});

describe("a key that is revoked", () => {
  it(
    "lets a running call end, and every other one is either answered and recorded once or refused without a trace",
    async () => {
      const { provider, parts } = pair;
      const { key: _, ...team } = await pair.createTeam("revoking");
      const running = { ...team, key: await pair.createKey(team.organizationId) };
      provider.forget();
      const release = provider.hold();
      const call = callWith("during", gatewayAt(0), running);
      await provider.whenRunning(1, 10_000);
      await parts.identity.apiKeys.revoke(team.organizationId, running.key.id);
      release();
      const answers = new Map<string, RpcAnswer>([["during", await call]]);
      expect(saidIn(answers.get("during") as RpcAnswer).title).toBe("during");

      provider.takeTime(3);
      for (let round = 0; round < roundsOf(10, 200); round++) {
        const revoked = { ...team, key: await pair.createKey(team.organizationId) };
        const callUntilRefused = async (gateway: SpawnedServer) => {
          for (let status = 200; status === 200; ) {
            const nonce = randomUUID();
            const answer = await callWith(nonce, gateway, revoked);
            answers.set(nonce, answer);
            status = answer.status;
          }
        };
        const clients = Array.from({ length: 6 }, (_client, index) => callUntilRefused(gatewayAt(index)));
        await delay(Math.random() * 80);
        await parts.identity.apiKeys.revoke(team.organizationId, revoked.key.id);
        await Promise.all(clients);
      }
      const records = Map.groupBy(await readIssueRecords(pair, team), ({ asked }) => asked);
      const asked = new Set(provider.requests.map(({ title }) => title));
      for (const [nonce, answer] of answers) {
        const found = (records.get(nonce) ?? []).map(({ status, said }) => ({ status, said }));
        expect([answer.status, found]).toEqual(answer.status === 200 ? [200, [{ status: "success", said: nonce }]] : [401, []]);
        expect(asked.has(nonce)).toBe(answer.status === 200);
      }
      expect(Object.keys(countBy(answers.values(), ({ status }) => String(status)))).toEqual(["200", "401"]);
    },
    roundsLimitMs,
  );
});

async function callWithBadBody(nonce: string, gateway: SpawnedServer, team: Team): Promise<RpcAnswer> {
  const { body, headers } = issueRequest(nonce, team);
  Object.assign(body.params.arguments, { body: 5 });
  return await createMcpClient(gateway.gatewayUrl, {}).post("github", body, headers);
}

/** In the legacy era only a message cancels. */
async function callAndCancel(nonce: string, gateway: SpawnedServer, team: Team): Promise<RpcAnswer> {
  const { body } = issueRequest(nonce, team);
  const { _meta, ...params } = body.params;
  const client = createMcpClient(gateway.gatewayUrl, { "x-api-key": team.key.key, "mcp-protocol-version": "2025-11-25" });
  const call = client.post("github", { ...body, params });
  await delay(20 + Math.random() * 100);
  await client.post("github", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: nonce } });
  return await call;
}

function countBy<Value>(values: Iterable<Value>, kindOf: (value: Value) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, kindOf)].map(([kind, { length }]) => [kind, length]).sort());
}
