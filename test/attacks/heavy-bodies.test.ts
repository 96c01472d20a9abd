import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { roundsOf } from "../support/rounds.ts";

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttackedServer();
});
afterAll(() => attacked?.stop());

// Each of these took seconds once. Beside other tests a process may wait for its turn, so only the long form measures closely.
const mostMs = roundsOf(1500, 500);
const list = (length: number, entry: string) => `[${Array<string>(length).fill(entry).join(",")}]`;
const fields = (length: number) => Array.from({ length }, (_, index) => `"k${index.toString(36)}":0`).join(",");
const call = (name: string, given: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`;

type Answer = { status: number; bytes: number };

/** An answer counts also when it comes before the whole body was sent, as a refusal of its length does. */
function post(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
      response.on("error", reject);
    });
    let answered = false;
    sent.once("response", () => (answered = true));
    sent.on("error", (error) => answered || reject(error));
    sent.end(body);
  });
}

const cookieOf = () => [...attacked.owner.cookies].map((pair) => pair.join("=")).join("; ");
const asOwner = (path: string, body: string) =>
  post(attacked.server.platformUrl + path, body, { origin: attacked.server.platformUrl, cookie: cookieOf() });
const asKey = (path: string, body: string) => post(attacked.server.platformUrl + path, body, { "x-api-key": attacked.key });
const asClient = (serverId: string, body: string) =>
  post(`${attacked.server.gatewayUrl}/${serverId}/mcp`, body, { "x-api-key": attacked.key, accept: "application/json" });
const inside = (path: string) => `${attacked.path}${path}`;

const attacks: [name: string, send: () => Promise<Answer>, status: number][] = [
  ["five million numbers and a suspicious key", () => asOwner("/api/organizations", `{"z":${list(5_000_000, "0")},"constructor":{}}`), 400],
  ["three million objects", () => asOwner("/api/organizations", `{"z":${list(3_000_000, "{}")},"constructor":{}}`), 400],
  ["a million fields", () => asOwner("/api/organizations", `{${fields(1_000_000)}}`), 400],
  ["as many values as are taken", () => asOwner("/api/organizations", `{"z":${list(99_000, "0")},"constructor":{}}`), 400],
  ["as many texts with NUL", () => asOwner("/api/organizations", `{"z":${list(99_000, '"\\u0000"')}}`), 400],
  ["a list of wrong entries", () => asOwner(inside("/api-keys"), `{"name":"k","toolRules":${list(99_000, "0")}}`), 400],
  [
    "as many overrides that are none",
    () => asKey(`/task-runner/trigger/${attacked.organizationId}`, `{"nodes":${list(99_000, "0")}}`),
    400,
  ],
  ["a canvas of unknown fields", () => asOwner(inside("/workflows/check"), `{"canvas":{${fields(90_000)}}}`), 200],
  [
    "a tool's list of wrong entries",
    () => asClient("github", call("github_create_issue", `{"owner":"a","repo":"b","title":"c","labels":${list(99_000, "0")}}`)),
    200,
  ],
  [
    "a tool's five million numbers",
    () => asClient("system", call("system_date_time", `{"constructor":{},"z":${list(4_900_000, "0")}}`)),
    400,
  ],
  ["a batch of calls", () => asClient("system", list(30_000, call("nothing", "{}"))), 400],
];

it.each(attacks)("does not stand still for %s, and answers briefly", async (_, send, status) => {
  await attacked.eventLoopLag();
  const answer = await send();
  expect(answer.status).toBe(status);
  expect(answer.bytes).toBeLessThan(20_000);
  expect((await attacked.eventLoopLag()).mostMs).toBeLessThan(mostMs);
});

it("reads no more than 64 KiB of what a stranger sends, but for deliveries", async () => {
  const { platformUrl, gatewayUrl } = attacked.server;
  const large = `{"email":"a@example.com","password":"${"x".repeat(65_536)}"}`;
  const ways = [
    "setup",
    "sign-up",
    "sign-in",
    "password-reset",
    "password-reset/confirm",
    `invitations/${attacked.organizationId}/sign-up`,
  ];
  for (const way of ways) expect([way, (await post(`${platformUrl}/api/${way}`, large, {})).status]).toEqual([way, 413]);
  for (const way of ["register", "token", "revoke"]) expect((await post(`${gatewayUrl}/oauth/${way}`, large, {})).status).toBe(413);
  expect((await post(`${platformUrl}/webhooks/${attacked.organizationId}/x`, large, {})).status).toBe(404);
});

it("keeps its memory bounded", () => {
  expect(attacked.peakMegabytes()).toBeLessThan(700);
});
