import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { signUpOwner } from "../support/people.ts";
import { startMailbox } from "../support/providers/mailbox.ts";
import { startTestApp } from "../support/test-app.ts";

const hostile = [
  'a\r\n{"level":60,"forged":true,"msg":"all is well"}\r\n',
  '","level":60,"forged":true,"x":"',
  "\u001b[2J\u001b]0;title\u0007 \u009b31m",
  "a\u2028b\u2029c\u0085d\u007f",
  'x"; filename="evil.exe\r\nSet-Cookie: a=b',
  '=HYPERLINK("https://evil.example")\nBcc: eve@example.com',
];

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttackedServer({ LOG_LEVEL: "debug", SLOW_STATEMENT_WARNING: "1ms" });
});
afterAll(() => attacked?.stop());

/** Headers as they are, also those that fetch would not send. */
const knock = (url: string, headers: Record<string, string>, body?: string) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? "GET" : "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end(body);
  });
/** What HTTP lets through in a header: bytes, but no control characters. */
const asHeader = (text: string) => Buffer.from(text.replaceAll(/\p{Cc}/gu, "")).toString("latin1");

async function sayEverywhere(text: string): Promise<void> {
  const { owner, server, path, key } = attacked;
  const { platformUrl, gatewayUrl } = server;
  await owner.post(`${path}/api-keys`, { name: text, scopes: ["mcp:invoke"] });
  await owner.post("/api/organizations", { name: text });
  await owner.post(`${path}/credentials`, { type: "github", name: text, data: { kind: "bearer", accessToken: text } });
  const canvas = { nodes: [{ id: "a", nodeId: "stop", name: text, parameters: { message: text } }], edges: [] };
  const { body: workflow } = await owner.post(`${path}/workflows`, { name: text, description: text, canvas });
  await owner.post("/api/password-reset", { email: `${text}@example.com` });
  await owner.post("/api/sign-in", { email: "ann@example.com", password: text });
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream", "x-api-key": key };
  const headers = { ...json, "user-agent": asHeader(text), referer: asHeader(text), "x-forwarded-for": asHeader(text) };
  const call = {
    jsonrpc: "2.0",
    id: text,
    method: "tools/call",
    params: { name: "http_request", arguments: { url: text, method: "GET" } },
  };
  await knock(`${gatewayUrl}/http/mcp`, headers, JSON.stringify(call));
  const client = { protocolVersion: text, capabilities: {}, clientInfo: { name: text, version: text } };
  await knock(
    `${gatewayUrl}/http/mcp`,
    headers,
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: client }),
  );
  await knock(
    `${gatewayUrl}/oauth/register`,
    headers,
    JSON.stringify({ client_name: text, redirect_uris: ["https://example.com/cb"] }),
  );
  await knock(`${platformUrl}/${encodeURIComponent(text)}?${encodeURIComponent(text)}`, headers);
  await knock(`${platformUrl}/task-runner/trigger/${workflow.id}`, headers, JSON.stringify({ runtimePrompt: text }));
}

const expectOneLine = (line: string) => expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);

describe("text of a stranger", () => {
  it("stays within one line of the log, as what it is", async () => {
    for (const text of hostile) await sayEverywhere(text);
    // Lines come in the order in which they were written.
    const last = (await attacked.owner.get("/api/me")).headers.get("x-request-id") as string;
    await expect.poll(() => attacked.server.output.stderr, { timeout: 15_000 }).toMatch(new RegExp(`${last}.*\n`));
    const said = attacked.server.output.stderr.split("\n").slice(0, -1);
    // Before the program there is the script that starts it.
    const lines = said.slice(said.findIndex((line) => line.startsWith("{")));
    expect(lines.length).toBeGreaterThan(100);
    for (const line of lines) {
      expectOneLine(line);
      const entry = JSON.parse(line) as { level: number; forged?: unknown };
      expect([entry.level < 60, entry.forged]).toEqual([true, undefined]);
    }
  }, 60_000);

  it("is escaped by the log itself, wherever it stands", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    for (const text of hostile) log.warn({ [text]: text, err: new Error(text), nested: [{ text }] }, text);
    expect(lines).toHaveLength(hostile.length);
    for (const [index, line] of lines.entries()) {
      expectOneLine(line.slice(0, -1));
      expect(JSON.parse(line)).toMatchObject({
        level: 40,
        msg: hostile[index],
        err: { message: hostile[index] },
        nested: [{ text: hostile[index] }],
      });
    }
  });

  it("is one line of an exported history, and makes no header", async () => {
    const { owner, path } = attacked;
    for (const text of hostile)
      await owner.post(`${path}/tools/system_transform_json/call`, {
        parameters: { data: { text }, expression: text },
      });
    const { text: exported, headers } = await owner.get(`${path}/tool-calls/export`);
    expect(headers.get("content-disposition")).toBe('attachment; filename="tool-calls.jsonl"');
    const records = exported
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; forged?: unknown });
    expect(records.length).toBeGreaterThanOrEqual(hostile.length);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    expect(records.filter((record) => "forged" in record)).toEqual([]);
  });

  it("is a plain name of an exported file", async () => {
    const { owner, path } = attacked;
    for (const name of [...hostile, "日本語", "..", "../../etc/passwd", "a".repeat(200), "CON", "é".repeat(200)]) {
      const { body } = await owner.post(`${path}/workflows`, { name, canvas: { nodes: [], edges: [] } });
      const { headers, status } = await owner.get(`${path}/workflows/${body.id}/file`);
      expect([name, status, headers.getSetCookie()]).toEqual([name, 200, []]);
      expect(headers.get("content-disposition")).toMatch(/^attachment; filename="[a-z0-9-]+\.json"$/);
    }
  });
});

describe("a mail", () => {
  it("goes to whom it is meant for and says nothing of its own, whatever an organization is called", async () => {
    const mailbox = await startMailbox();
    const app = await startTestApp({ environment: { SMTP_URL: mailbox.url } });
    try {
      const { browser, organizationId } = await signUpOwner(app, "Ann");
      for (const [index, name] of hostile.entries()) {
        expect((await browser.patch(`/api/organizations/${organizationId}`, { name })).status).toBe(
          name.includes("level") && !name.includes("\n") ? 200 : 400,
        );
        // As it may be called since it was allowed.
        await app.database.query("UPDATE organization SET name = $1 WHERE id = $2", [name, organizationId]);
        const to = `guest-${index}@example.com`;
        expect(
          (await browser.post(`/api/organizations/${organizationId}/invitations`, { email: to, role: "viewer" }))
            .status,
        ).toBe(201);
        await expect.poll(() => mailbox.to(to).length, { timeout: 15_000 }).toBe(1);
      }
      for (const { to, source } of mailbox.mails) {
        expect(to).toEqual([expect.stringMatching(/^guest-\d@example\.com$/)]);
        const [head = ""] = source.split("\r\n\r\n");
        expect(
          head
            .match(/^[\w-]+(?=:)/gm)
            ?.map((name) => name.toLowerCase())
            .sort(),
        ).toEqual([
          "content-transfer-encoding",
          "content-type",
          "date",
          "from",
          "message-id",
          "mime-version",
          "subject",
          "to",
        ]);
      }
    } finally {
      await app.stop();
      await mailbox.stop();
    }
  }, 60_000);

  it("is not asked for with an address that is more than one", async () => {
    const { owner, path } = attacked;
    for (const email of [
      "a@example.com\r\nBcc: eve@example.com",
      "a@example.com, eve@example.com",
      "a@example.com;eve@example.com",
      "<a@example.com>",
    ]) {
      const { status } = await owner.post(`${path}/invitations`, { email, role: "viewer" });
      expect([email, status]).toEqual([email, 400]);
    }
  });
});
