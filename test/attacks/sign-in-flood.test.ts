import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import { password } from "../support/people.ts";
import { reportRounds, roundsOf } from "../support/rounds.ts";

let attacked: AttackedServer;
let client: McpClient;
let service: Server;
let arguments_: Record<string, unknown>;

beforeAll(async () => {
  attacked = await startAttackedServer({ OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8,::1/128" });
  const { owner, path, server, key } = attacked;
  // Each connection is closed, so that each call asks for the name again.
  service = createServer((_request, response) => response.setHeader("connection", "close").end("{}")).listen(0);
  await once(service, "listening");
  const { body } = await owner.post(`${path}/credentials`, {
    type: "http_auth",
    name: "Open",
    data: { authKind: "none" },
  });
  const url = `http://localhost:${(service.address() as AddressInfo).port}/`;
  arguments_ = { url, credentials: { http_auth: `credential:organization:${body.id}` } };
  client = createMcpClient(server.gatewayUrl, { "x-api-key": key });
});
afterAll(async () => {
  await attacked?.stop();
  service?.close();
});

const connections = 64;
let invented = 0;
const signInAsNobody = () =>
  attacked.server
    .browser()
    .post("/api/sign-in", { email: `nobody-${invented++}@example.com`, password: "not this one" });

/** Many who sign in with addresses that they make up, until `work` is over. */
async function besideFlood<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; statuses: Set<number>; waits: Set<string | null> }> {
  const [statuses, waits] = [new Set<number>(), new Set<string | null>()];
  let isOver = false;
  const flood = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const { status, headers } = await signInAsNobody();
      statuses.add(status);
      if (status !== 429) continue;
      waits.add(headers.get("retry-after"));
      // More often than it was told to, and still not so often that sending costs what is measured here.
      await delay(250);
    }
  });
  // All of them have a request under way by then.
  await signInAsNobody();
  const value = await work().finally(() => (isOver = true));
  await Promise.all(flood);
  return { value, statuses, waits };
}

async function callOften(times: number): Promise<number> {
  const elapsed: number[] = [];
  for (let index = 0; index < times; index++) {
    const startedAt = performance.now();
    const { json } = await client.legacy("http", "tools/call", { name: "http_request", arguments: arguments_ });
    expect(json.result?.structuredContent).toMatchObject({ items: [{ status: 200 }] });
    elapsed.push(performance.now() - startedAt);
  }
  return elapsed.sort((one, other) => one - other)[Math.floor(times * 0.95)] ?? Number.NaN;
}

describe("a flood of sign-ins with invented addresses", () => {
  it("does not slow down calls of tools that look up a name", async () => {
    const times = roundsOf(20, 100);
    await callOften(3);
    const quietMs = await callOften(times);
    const { value: floodedMs, statuses, waits } = await besideFlood(() => callOften(times));
    reportRounds({ quietMs, floodedMs });
    // Waiting for one of the threads that hash took seconds.
    expect(floodedMs).toBeLessThan(roundsOf(500, 4 * quietMs + 50));
    expect([...statuses].sort()).toEqual([401, 429]);
    expect([...waits]).toEqual(["1"]);
  });

  it("leaves those who know their password a way in afterwards", async () => {
    const { status } = await attacked.server.browser().post("/api/sign-in", { email: "ann@example.com", password });
    expect(status).toBe(200);
  });
});
