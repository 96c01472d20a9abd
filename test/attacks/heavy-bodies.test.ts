import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { refusedN8nFiles } from "../support/heavy-n8n-files.ts";
import { roundsOf } from "../support/rounds.ts";
import { heavyCanvases } from "../support/runs/heavy-canvases.ts";

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttackedServer();
});
afterAll(() => attacked?.stop());

// Each of these took seconds once. Beside other tests a process may wait for its turn, so only the long form measures closely.
const mostMs = roundsOf(1500, 250);
const tries = 3;
const list = (length: number, entry: string) => `[${Array<string>(length).fill(entry).join(",")}]`;
const fields = (length: number) => Array.from({ length }, (_, index) => `"k${index.toString(36)}":0`).join(",");
const call = (name: string, given: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`;

type Answer = { status: number; bytes: number };

/** An answer counts also when it comes before the whole body was sent, as a refusal of its length does. */
function post(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: "POST", headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
        response.on("error", reject);
      },
    );
    let answered = false;
    sent.once("response", () => (answered = true));
    sent.on("error", (error) => answered || reject(error));
    sent.end(body);
  });
}

const cookieOf = () => [...attacked.owner.cookies].map((pair) => pair.join("=")).join("; ");
const asOwner = (path: string, body: string) =>
  post(attacked.server.platformUrl + path, body, { origin: attacked.server.platformUrl, cookie: cookieOf() });
const asKey = (path: string, body: string) =>
  post(attacked.server.platformUrl + path, body, { "x-api-key": attacked.key });
const asClient = (serverId: string, body: string) =>
  post(`${attacked.server.gatewayUrl}/${serverId}/mcp`, body, {
    "x-api-key": attacked.key,
    accept: "application/json",
  });
const inside = (path: string) => `${attacked.path}${path}`;

const attacks: [name: string, send: () => Promise<Answer>, status: number][] = [
  [
    "five million numbers and a suspicious key",
    () => asOwner("/api/organizations", `{"z":${list(5_000_000, "0")},"constructor":{}}`),
    400,
  ],
  [
    "three million objects",
    () => asOwner("/api/organizations", `{"z":${list(3_000_000, "{}")},"constructor":{}}`),
    400,
  ],
  ["a million fields", () => asOwner("/api/organizations", `{${fields(1_000_000)}}`), 400],
  [
    "as many values as are taken",
    () => asOwner("/api/organizations", `{"z":${list(49_000, "0")},"constructor":{}}`),
    400,
  ],
  ["as many texts with NUL", () => asOwner("/api/organizations", `{"z":${list(49_000, '"\\u0000"')}}`), 400],
  ["a list of wrong entries", () => asOwner(inside("/api-keys"), `{"name":"k","toolRules":${list(49_000, "0")}}`), 400],
  [
    "as many overrides that are none",
    () => asKey(`/task-runner/trigger/${attacked.organizationId}`, `{"nodes":${list(49_000, "0")}}`),
    400,
  ],
  ["a canvas of unknown fields", () => asOwner(inside("/workflows/check"), `{"canvas":{${fields(49_000)}}}`), 200],
  [
    "a tool's list of wrong entries",
    () =>
      asClient(
        "github",
        call("github_create_issue", `{"owner":"a","repo":"b","title":"c","labels":${list(49_000, "0")}}`),
      ),
    200,
  ],
  [
    "a tool's five million numbers",
    () => asClient("system", call("system_date_time", `{"constructor":{},"z":${list(4_900_000, "0")}}`)),
    400,
  ],
  ["a batch of calls", () => asClient("system", list(30_000, call("nothing", "{}"))), 400],
];

/** What stands still does so every time; what waited for its turn beside others does not. */
async function expectBriefStall(send: () => Promise<Answer>, status: number): Promise<void> {
  let stallMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries && stallMs >= mostMs; count += 1) {
    await attacked.eventLoopLag();
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.bytes).toBeLessThan(20_000);
    stallMs = Math.min(stallMs, (await attacked.eventLoopLag()).mostMs);
  }
  expect(stallMs).toBeLessThan(mostMs);
}

it.each(attacks)("does not stand still for %s, and answers briefly", (_, send, status) =>
  expectBriefStall(send, status),
);

it.each(Object.entries(heavyCanvases))("does not stand still for a canvas with %s", async (_, canvas) => {
  await expectBriefStall(() => asOwner(inside("/workflows/check"), JSON.stringify({ canvas })), 200);
});

it.each(Object.entries(refusedN8nFiles))("does not stand still for a file of n8n with %s", async (_, file) => {
  await expectBriefStall(() => asOwner(inside("/workflows/import/n8n"), JSON.stringify({ file })), 400);
});

it("does not stand still for previews of as much", async () => {
  const { body } = await attacked.owner.post(inside("/workflows"), {
    name: "small",
    canvas: { nodes: [{ id: "a", nodeId: "merge" }], edges: [] },
  });
  const preview = (value: unknown, status: number) => {
    const sent = JSON.stringify({ canvas: { nodes: [{ id: "a", nodeId: "merge" }], edges: [] }, nodeId: "a", value });
    return expectBriefStall(() => asOwner(inside(`/workflows/${body.id}/preview-value`), sent), status);
  };
  await preview(Array(49_000).fill("$trigger.prompt"), 400);
  await preview(Array(60).fill(`{{ ${'\\"'.repeat(20_000)}`), 200);
  await preview(Array(200).fill("{{ 1 }}".repeat(6000)), 200);
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
  for (const way of ways)
    expect([way, (await post(`${platformUrl}/api/${way}`, large, {})).status]).toEqual([way, 413]);
  for (const way of ["register", "token", "revoke"])
    expect((await post(`${gatewayUrl}/oauth/${way}`, large, {})).status).toBe(413);
  expect((await post(`${platformUrl}/webhooks/${attacked.organizationId}/x`, large, {})).status).toBe(404);
});

it("keeps its memory bounded", () => {
  expect(attacked.peakMegabytes()).toBeLessThan(700);
});
