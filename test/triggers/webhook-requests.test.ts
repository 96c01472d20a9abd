import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";

let ann: WorkflowApp;
let workflowId: string;
let path: string;

beforeAll(async () => {
  ann = await startWorkflowApp();
  workflowId = await ann.save([
    node("a", "set_fields", {
      fields: {
        method: "$trigger.method",
        query: "$trigger.query",
        headers: "$trigger.headers",
        payload: "$trigger.payload",
      },
    }),
  ]);
  path = `${ann.path}/triggers`;
});
afterAll(() => ann?.stop());

type Made = { id: string; webhookUrl: string; signingSecret: string; methods: string[] };

async function webhook(fields: Record<string, unknown> = {}): Promise<Made> {
  const wanted = { workflowId, kind: "webhook", name: "Hook", signature: "none", ...fields };
  const { status, body } = await ann.owner.browser.post(path, wanted);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body as Made;
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array };

async function deliver(url: string, { method = "POST", headers = {}, body }: Sent = {}) {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: body as string }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Trigger = { method: string; query: unknown; headers: Record<string, string>; payload: unknown };

/** What the run sees of a delivery. */
async function seen(url: string, sent: Sent = {}): Promise<Trigger> {
  const answer = await deliver(url, sent);
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  const run = await ann.ended((JSON.parse(answer.text) as { id: string }).id);
  expect(run.error).toBeNull();
  return run.result?.[0] as Trigger;
}

const json = { "content-type": "application/json" };

describe("$trigger of a delivery", () => {
  it("has method, query and headers, without what proves who somebody is", async () => {
    const { webhookUrl } = await webhook();
    const secrets = {
      authorization: "Bearer canary",
      "proxy-authorization": "Basic canary",
      cookie: "session=canary",
      "x-api-key": "canary",
      "x-hub-signature-256": "sha256=canary",
      "webhook-signature": "v1,canary",
      "x-auth-token": "canary",
      "x-client-secret": "canary",
      "x-amz-security-token": "canary",
      "x-csrf": "canary",
      "x-session-id": "canary",
      "x-password": "canary",
    };
    const headers = { ...json, ...secrets, "X-Event": "made", "user-agent": "shop/1", "x-request-key": "k" };
    const trigger = await seen(`${webhookUrl}?a=1&b=x%20y&a=2&__proto__=z&empty=`, { headers, body: "{}" });
    expect(trigger).toMatchObject({ method: "POST", query: { a: ["1", "2"], b: "x y", empty: "" }, payload: {} });
    expect(trigger.headers).toMatchObject({
      "x-event": "made",
      "user-agent": "shop/1",
      "content-type": "application/json",
      "x-request-key": "k",
    });
    for (const name of Object.keys(secrets)) expect(trigger.headers).not.toHaveProperty(name);
    const stored = await ann.app.database.query("SELECT trigger_data FROM run");
    expect(JSON.stringify(stored)).not.toContain("canary");
    expect(JSON.stringify(stored)).not.toContain(webhookUrl.split("/").at(-1));
  });

  it("is shown with the run, and a trial of the webhook has the same fields", async () => {
    const { id, webhookUrl } = await webhook({ methods: ["PUT"] });
    const { text } = await deliver(`${webhookUrl}?a=1`, { method: "PUT", body: "x" });
    const run = await ann.readRun((JSON.parse(text) as { id: string }).id);
    expect(run.body.trigger).toMatchObject({
      source: "webhook",
      method: "PUT",
      query: { a: "1" },
      headers: expect.any(Object),
    });
    const tried = await ann.owner.browser.post(`${path}/${id}/test`, { payload: { x: 1 } });
    expect((await ann.ended(tried.body.id)).result).toMatchObject([
      { method: "PUT", query: {}, headers: {}, payload: { x: 1 } },
    ]);
  });
});

describe("the methods of a webhook", () => {
  it("are POST alone unless others are chosen, and others are told which", async () => {
    const { methods, webhookUrl } = await webhook();
    expect(methods).toEqual(["POST"]);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const answer = await deliver(webhookUrl, { method });
      expectProblem(answer, { status: 405, code: "method_not_allowed" });
      expect(answer.headers.get("allow")).toBe("POST");
    }
  });

  it.each(["GET", "PUT", "PATCH", "DELETE"])("may be %s", async (method) => {
    const { webhookUrl, methods } = await webhook({ methods: [method] });
    expect(methods).toEqual([method]);
    const body = method === "GET" ? {} : { body: '{"a":1}', headers: json };
    expect(await seen(`${webhookUrl}?q=1`, { method, ...body })).toMatchObject({
      method,
      query: { q: "1" },
      payload: method === "GET" ? {} : { a: 1 },
    });
    const refused = await deliver(webhookUrl, { body: "{}" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, method]);
  });

  it("do not include HEAD, which starts nothing", async () => {
    const { webhookUrl } = await webhook({ methods: ["GET", "POST"] });
    const answer = await deliver(webhookUrl, { method: "HEAD" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  it("can be changed, and are refused where they make no sense", async () => {
    const { id } = await webhook();
    const changed = await ann.owner.browser.patch(`${path}/${id}`, { methods: ["PUT", "GET", "PUT"] });
    expect(changed.body.methods).toEqual(["GET", "PUT"]);
    for (const methods of [[], ["HEAD"], ["get"], ["POST", "TRACE"]])
      expectProblem(await ann.owner.browser.patch(`${path}/${id}`, { methods }), {
        status: 400,
        code: "validation_failed",
      });
    const schedule = { workflowId, kind: "schedule", name: "S", cron: "0 0 1 1 *", timeZone: "UTC", methods: ["POST"] };
    expectProblem(await ann.owner.browser.post(path, schedule), { status: 400, code: "validation_failed" });
    const account = { type: "github", name: "G", data: { kind: "bearer", accessToken: "t", webhookSecret: "gh" } };
    const { body } = await ann.owner.browser.post(`${ann.path}/credentials`, account);
    const ofProvider = {
      workflowId,
      kind: "webhook",
      name: "G",
      provider: "github",
      credentialId: body.id,
      methods: ["PUT"],
    };
    expectProblem(await ann.owner.browser.post(path, ofProvider), { status: 400, code: "validation_failed" });
  });

  it("are signed and told apart by id like POST", async () => {
    const { webhookUrl, signingSecret } = await webhook({ signature: "standard", methods: ["GET", "PUT"] });
    expectProblem(await deliver(webhookUrl, { method: "GET" }), { status: 401, code: "webhook_refused" });
    const headers = signStandard(signingSecret, "", { id: "msg_1" });
    const [first, second] = [
      await deliver(webhookUrl, { method: "GET", headers }),
      await deliver(webhookUrl, { method: "GET", headers }),
    ];
    expect([first?.status, second?.status, second?.text]).toEqual([202, 202, first?.text]);
    expectProblem(await deliver(webhookUrl, { method: "PUT", headers, body: "changed" }), {
      status: 401,
      code: "webhook_refused",
    });
  });
});

describe("a delivery that is compressed", () => {
  const text = JSON.stringify({ order: 5, note: "ü".repeat(100) });
  it.each<[string, Uint8Array]>([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
  ])("with %s is read", async (encoding, body) => {
    const { webhookUrl } = await webhook();
    expect((await seen(webhookUrl, { headers: { ...json, "content-encoding": encoding }, body })).payload).toEqual(
      JSON.parse(text),
    );
  });

  it("is signed as it was sent", async () => {
    const { webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    const body = gzipSync(text);
    const headers = { ...json, "content-encoding": "gzip", ...signStandard(signingSecret, body, { id: "1" }) };
    expect((await seen(webhookUrl, { headers, body })).payload).toEqual(JSON.parse(text));
    const overText = { ...json, "content-encoding": "gzip", ...signStandard(signingSecret, text, { id: "2" }) };
    expectProblem(await deliver(webhookUrl, { headers: overText, body }), { status: 401, code: "webhook_refused" });
  });

  it.each<[string, Record<string, string>, Uint8Array, { status: number; code: string }]>([
    [
      "in an unknown way",
      { "content-encoding": "compress" },
      Buffer.from("x"),
      { status: 415, code: "unsupported_media_type" },
    ],
    ["twice", { "content-encoding": "gzip, br" }, Buffer.from("x"), { status: 415, code: "unsupported_media_type" }],
    ["and is not", { "content-encoding": "gzip" }, Buffer.from("{}"), { status: 400, code: "malformed_request" }],
    [
      "and cut off",
      { "content-encoding": "gzip" },
      gzipSync("x".repeat(5000)).subarray(0, 20),
      { status: 400, code: "malformed_request" },
    ],
    [
      "to a bomb",
      { "content-encoding": "gzip" },
      gzipSync(Buffer.alloc(200 * 1024 * 1024)),
      { status: 413, code: "body_too_large" },
    ],
    [
      "to a bomb of br",
      { "content-encoding": "br" },
      brotliCompressSync(Buffer.alloc(20 * 1024 * 1024)),
      { status: 413, code: "body_too_large" },
    ],
  ])("%s is refused and starts nothing", async (_name, headers, body, problem) => {
    const { id, webhookUrl } = await webhook();
    expectProblem(await deliver(webhookUrl, { headers, body }), problem);
    expect(await ann.app.database.query("SELECT id FROM run WHERE trigger_id = $1", [id])).toEqual([]);
  });
});

describe("numbers that a double does not hold", () => {
  it("keep their digits as texts, and others stay numbers", async () => {
    const { webhookUrl } = await webhook();
    const body = '{"id": 9007199254740993, "list": [-12345678901234567890, 1e400], "n": 9007199254740992, "x": 0.1}';
    const { payload } = await seen(webhookUrl, { headers: json, body });
    expect(payload).toEqual({
      id: "9007199254740993",
      list: ["-12345678901234567890", "1e400"],
      n: 9007199254740992,
      x: 0.1,
    });
  });
});

describe("a form with very many fields", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };

  it("is taken as a text, and holds nobody up", async () => {
    const { webhookUrl } = await webhook();
    const body = "a&".repeat(400_000);
    const began = performance.now();
    const { payload } = await seen(webhookUrl, {
      headers: { ...form, "content-encoding": "gzip" },
      body: gzipSync(body),
    });
    expect((payload as { text: string }).text).toHaveLength(body.length);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("keeps JSON in its fields as text once that is much in all", async () => {
    const { webhookUrl } = await webhook();
    const list = JSON.stringify(Array.from({ length: 30_000 }, () => 1));
    const { payload } = await seen(webhookUrl, { headers: form, body: `a=${list}&b=${list}` });
    expect(payload).toEqual({ a: JSON.parse(list), b: list });
  });
});

describe("the limit of deliveries", () => {
  it("counts a webhook once, however its address is written", async () => {
    const narrow = await startWorkflowApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "2" } });
    try {
      const own = await narrow.save([node("a", "start")]);
      const wanted = { workflowId: own, kind: "webhook", name: "Hook", signature: "none" };
      const { body } = await narrow.owner.browser.post(`${narrow.path}/triggers`, wanted);
      const { webhookUrl } = body as Made;
      const [, token = ""] = /([^/]+)$/.exec(webhookUrl) ?? [];
      const written = (letter: number) =>
        webhookUrl.replace(
          token,
          `${token.slice(0, letter)}%${token.charCodeAt(letter).toString(16)}${token.slice(letter + 1)}`,
        );
      const upper = webhookUrl.replace(/webhooks\/([^/]+)/, (_, id: string) => `webhooks/${id.toUpperCase()}`);
      const statuses: number[] = [];
      for (const url of [webhookUrl, written(0), written(1), upper]) statuses.push((await deliver(url)).status);
      expect(statuses).toEqual([202, 202, 429, 429]);
    } finally {
      await narrow.stop();
    }
  });
});
