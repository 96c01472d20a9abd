import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callWith,
  type GatewayPair,
  issueRequest,
  readIssueRecords,
  startGatewayPair,
  type Team,
} from "../support/gateway/gateway-pair.ts";
import { createMcpClient, type RpcAnswer } from "../support/gateway/mcp-client.ts";
import { reportRounds, roundsLimitMs, roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";

let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair({
    environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1", MCP_MAX_EXECUTION_TIME: "2s" },
  });
});
afterAll(() => pair?.stop());

const gatewayAt = (index: number) => pair.gateways[index % 2] as SpawnedServer;

const leave = new DOMException("The client is gone.", "AbortError");

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
      const callAs = async (
        kind: string,
        nonce: string,
        gateway: SpawnedServer,
        team: Team,
      ): Promise<RpcAnswer | undefined> => {
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
      reportRounds({
        calls: expected.size,
        records: records.length,
        held: 0,
        ...countBy(records, ({ status }) => status),
      });
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
  const client = createMcpClient(gateway.gatewayUrl, {
    "x-api-key": team.key.key,
    "mcp-protocol-version": "2025-11-25",
  });
  const call = client.post("github", { ...body, params });
  await delay(20 + Math.random() * 100);
  await client.post("github", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: nonce } });
  return await call;
}

function countBy<Value>(values: Iterable<Value>, kindOf: (value: Value) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, kindOf)].map(([kind, { length }]) => [kind, length]).sort());
}
