import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { roundsOf } from "../support/rounds.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import {
  createDiscordSigner,
  signGithub,
  signSlack,
  signStandard,
  signStripe,
  signWhatsapp,
} from "../support/triggers/sign-delivery.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let app: TestApp;
let workflows: WorkflowApp;
let ann: WorkflowApp["owner"];
let workflowId: string;
let path: string;

/** A further process on the same database. */
const startApp = (environment: Record<string, string> = {}) =>
  startTestApp({ database, roles: ["platform"], environment });

beforeAll(async () => {
  database = await createTestDatabase();
  workflows = await startWorkflowApp({ database });
  ({ app, owner: ann } = workflows);
  workflowId = await workflows.save([node("a", "set_fields", { fields: { prompt: "{{ $trigger.prompt }}" } })]);
  path = `${workflows.path}/triggers`;
});
afterAll(async () => {
  await app.stop();
  await database.drop();
});

type Made = { id: string; webhookUrl: string; signingSecret: string };

async function webhook(fields: Record<string, unknown>): Promise<Made> {
  const { status, body } = await ann.browser.post(path, { workflowId, kind: "webhook", name: "Hook", ...fields });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as Made;
}

async function ofProvider(
  provider: string,
  data: Record<string, unknown>,
  fields: Record<string, unknown> = {},
): Promise<Made> {
  const type = app.parts.catalog.providers.find(({ id }) => id === provider)?.credential?.type;
  const made = await ann.browser.post(`/api/organizations/${ann.organizationId}/credentials`, {
    type,
    name: provider,
    data,
  });
  expect([made.status, made.body.errors]).toEqual([201, undefined]);
  return await webhook({ provider, credentialId: made.body.id, ...fields });
}

async function deliver(
  url: string,
  body: string | Buffer | undefined,
  headers: Record<string, string> = {},
  method = "POST",
) {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const json = { "content-type": "application/json" };
type RunRow = { id: string; kind: string; workflowId: string; trigger: string; overrides: string | null };

/** The runs that a trigger started. */
async function startedBy(triggerId: string) {
  const columns = 'id, kind, workflow_id AS "workflowId", trigger_data AS trigger, overrides';
  const rows = await database.query<RunRow>(`SELECT ${columns} FROM run WHERE trigger_id = $1 ORDER BY id`, [
    triggerId,
  ]);
  return rows.map(({ trigger, overrides, ...row }) => ({
    ...row,
    trigger: JSON.parse(trigger),
    overrides: JSON.parse(overrides ?? "[]"),
  }));
}

describe("a webhook without signature", () => {
  it("starts a run with what was sent and answers with its id", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none", overrides: [], prompt: "" });
    const answer = await deliver(webhookUrl, '{"order": 5}', json);
    const [run, ...others] = await startedBy(id);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([202, { id: run?.id }]);
    expect(others).toEqual([]);
    expect(await workflows.ended(run?.id ?? "")).toMatchObject({ status: "succeeded", executionType: "webhook" });
    expect(run).toMatchObject({
      workflowId,
      kind: "webhook",
      trigger: { source: "webhook", sender: null, prompt: "", payload: { order: 5 } },
    });
  });

  it.each<[string, string | undefined, Record<string, string>, unknown]>([
    ["a form", "a=1&b=2", { "content-type": "application/x-www-form-urlencoded" }, { a: "1", b: "2" }],
    ["text", "hello", { "content-type": "text/plain" }, { text: "hello" }],
    ["XML", "<a/>", { "content-type": "application/xml" }, { text: "<a/>" }],
    ["broken JSON", "{", json, { text: "{" }],
    ["nothing", undefined, {}, { text: "" }],
    ["an unknown type", "x", { "content-type": "x/y; z" }, { text: "x" }],
  ])("takes %s", async (_, body, headers, payload) => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    expect((await deliver(webhookUrl, body, headers)).status).toBe(202);
    expect((await startedBy(id))[0]?.trigger.payload).toEqual(payload);
  });

  it("starts a run for each delivery, but one for each webhook-id", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    for (const headers of [{}, {}, { "webhook-id": "a" }, { "webhook-id": "a" }, { "webhook-id": "b".repeat(3000) }])
      expect((await deliver(webhookUrl, "{}", headers as Record<string, string>)).status).toBe(202);
    expect(await startedBy(id)).toHaveLength(4);
  });

  it("takes up to 1 MiB", async () => {
    const { webhookUrl } = await webhook({ signature: "none" });
    expect((await deliver(webhookUrl, Buffer.alloc(1024 * 1024, "x"))).status).toBe(202);
    const problem = expectProblem(await deliver(webhookUrl, Buffer.alloc(1024 * 1024 + 1, "x")), {
      status: 413,
      code: "body_too_large",
    });
    expect(problem.detail).toContain("1 MiB");
  });

  it("starts nothing with GET or HEAD", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    expectProblem(await deliver(webhookUrl, undefined, {}, "GET"), { status: 405, code: "method_not_allowed" });
    expect((await deliver(webhookUrl, undefined, {}, "HEAD")).status).toBe(405);
    expect(await startedBy(id)).toEqual([]);
  });

  it("gives its runs the prompt and the overrides it was set up with", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    await ann.browser.patch(`${path}/${id}`, {
      prompt: "Look at this",
      overrides: [{ id: "a", runtimeInstruction: "Be brief" }],
    });
    await deliver(webhookUrl, "{}", json);
    expect((await startedBy(id))[0]).toMatchObject({
      trigger: { prompt: "Look at this" },
      overrides: [{ id: "a", runtimeInstruction: "Be brief" }],
    });
  });
});

describe("the address", () => {
  it("is answered alike for an unknown webhook, a wrong token, a schedule and nonsense", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    const token = webhookUrl.split("/").at(-1) ?? "";
    const schedule = await ann.browser.post(path, {
      workflowId,
      kind: "schedule",
      name: "S",
      cron: "0 0 1 1 *",
      timeZone: "UTC",
    });
    const wrong = [
      `${randomUUID()}/${token}`,
      `${id}/${"x".repeat(43)}`,
      `${id}/${token}x`,
      `${schedule.body.id}/${token}`,
      `nonsense/${token}`,
    ];
    const answers = await Promise.all(
      wrong.map(async (end) => {
        const problem = expectProblem(await deliver(`${app.platformUrl}/webhooks/${end}`, "{}", json), {
          status: 404,
          code: "not_found",
        });
        return { ...problem, instance: "", requestId: "" };
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await startedBy(id)).toEqual([]);
  });

  it("is stored as a hash only, is shown once, and is not logged", async () => {
    const made = await webhook({ signature: "standard" });
    const token = made.webhookUrl.split("/").at(-1) ?? "";
    await deliver(made.webhookUrl, "{}", json);
    const [row] = await database.query<{ text: string }>("SELECT t::text AS text FROM trigger t WHERE id = $1", [
      made.id,
    ]);
    const read = (await ann.browser.get(`${path}/${made.id}`)).text + (await ann.browser.get(path)).text;
    for (const place of [row?.text ?? "", read, app.logLines.join("")])
      for (const secret of [
        token,
        Buffer.from(token).toString("hex"),
        made.signingSecret,
        Buffer.from(made.signingSecret).toString("hex"),
      ])
        expect(place).not.toContain(secret);
  });

  it("is worth nothing after another one was made", async () => {
    const made = await webhook({ signature: "standard" });
    const { status, body } = await ann.browser.post(`${path}/${made.id}/regenerate-token`);
    expect([status, body.signature]).toEqual([200, "standard"]);
    expect((await deliver(made.webhookUrl, "{}", signStandard(made.signingSecret, "{}", { id: "1" }))).status).toBe(
      404,
    );
    expect((await deliver(body.webhookUrl, "{}", signStandard(made.signingSecret, "{}", { id: "1" }))).status).toBe(
      401,
    );
    expect((await deliver(body.webhookUrl, "{}", signStandard(body.signingSecret, "{}", { id: "1" }))).status).toBe(
      202,
    );
  });

  it("may be called so often in a minute, without using up what another may", async () => {
    const limited = await startApp({ RATE_LIMIT_API_KEY_PER_MINUTE: "3" });
    try {
      const at = (url: string) => url.replace(app.platformUrl, limited.platformUrl);
      const [one, other] = [await webhook({ signature: "none" }), await webhook({ signature: "none" })];
      const statuses: number[] = [];
      for (let call = 0; call < 5; call++) statuses.push((await deliver(at(one.webhookUrl), "{}", json)).status);
      expect(statuses).toEqual([202, 202, 202, 429, 429]);
      for (let call = 0; call < 4; call++) await deliver(`${at(other.webhookUrl)}wrong`, "{}", json);
      expect((await deliver(`${at(other.webhookUrl)}?x=1`, "{}", json)).status).toBe(202);
    } finally {
      await limited.stop();
    }
  });
});

describe("a delivery that is repeated", () => {
  it("twenty times at once and after a restart starts one run and is accepted each time", async () => {
    const { id, webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    const second = await startApp();
    const urls = [webhookUrl, webhookUrl.replace(app.platformUrl, second.platformUrl)];
    const send = (url = webhookUrl) =>
      deliver(url, '{"a":1}', { ...json, ...signStandard(signingSecret, '{"a":1}', { id: "msg_1" }) });
    try {
      const answers = await Promise.all(Array.from({ length: roundsOf(20, 200) }, (_, index) => send(urls[index % 2])));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    } finally {
      await second.stop();
    }
    const restarted = await startApp();
    try {
      expect((await send(webhookUrl.replace(app.platformUrl, restarted.platformUrl))).status).toBe(202);
    } finally {
      await restarted.stop();
    }
    expect(await startedBy(id)).toHaveLength(1);
  });

  it("under the same id with other details is still the same", async () => {
    const { id, webhookUrl } = await ofProvider("stripe", { secretKey: "sk_1", webhookSecret: "whsec_stripe" });
    for (const pending of [1, 0]) {
      const body = JSON.stringify({ id: "evt_1", type: "charge.refunded", pending_webhooks: pending });
      expect((await deliver(webhookUrl, body, signStripe("whsec_stripe", body))).status).toBe(202);
    }
    expect(await startedBy(id)).toHaveLength(1);
  });
});

describe("signatures", () => {
  const discord = createDiscordSigner();
  const slackEvent = JSON.stringify({
    type: "event_callback",
    event_id: "Ev1",
    event: { type: "app_mention", text: "hi", user: "U1" },
  });
  const issue = JSON.stringify({
    action: "opened",
    issue: { title: "It breaks" },
    repository: { full_name: "a/b" },
    sender: { login: "ann" },
  });
  const message = JSON.stringify({ update_id: 9, message: { text: "hi", from: { id: 7, username: "ann" } } });
  const command = JSON.stringify({
    id: "55",
    type: 2,
    data: { name: "ask", options: [{ value: "why" }] },
    user: { id: "1", username: "a" },
  });
  const whatsapp = JSON.stringify({
    entry: [{ changes: [{ field: "messages", value: { messages: [{ from: "49", text: { body: "hey" } }] } }] }],
  });
  const event = JSON.stringify({ id: "evt_2", type: "charge.refunded", data: { object: { id: "ch_1" } } });

  type Case = {
    provider: string;
    data: Record<string, unknown>;
    body: string;
    headers: () => Record<string, string>;
    answer: [number, unknown];
    trigger: { prompt: string; sender: unknown };
  };
  const cases: Case[] = [
    {
      provider: "github",
      data: { kind: "bearer", accessToken: "t", webhookSecret: "gh" },
      body: issue,
      headers: () => signGithub("gh", issue, "d1"),
      answer: [202, { id: expect.any(String) }],
      trigger: { prompt: "issues opened a/b: It breaks", sender: { name: "ann" } },
    },
    {
      provider: "slack",
      data: { kind: "bearer", accessToken: "xoxb", signingSecret: "sl" },
      body: slackEvent,
      headers: () => signSlack("sl", slackEvent),
      answer: [202, { id: expect.any(String) }],
      trigger: { prompt: "hi", sender: { id: "U1" } },
    },
    {
      provider: "telegram",
      data: { botToken: "1:x", webhookSecret: "tg" },
      body: message,
      headers: () => ({ "x-telegram-bot-api-secret-token": "tg" }),
      answer: [202, { id: expect.any(String) }],
      trigger: { prompt: "hi", sender: { id: "7", name: "ann" } },
    },
    {
      provider: "discord",
      data: { botToken: "b", applicationPublicKey: discord.publicKey },
      body: command,
      headers: () => discord.sign(command),
      answer: [200, { type: 5 }],
      trigger: { prompt: "why", sender: { id: "1", name: "a" } },
    },
    {
      provider: "whatsapp",
      data: { accessToken: "t", phoneNumberId: "1", appSecret: "wa", verifyToken: "verify-me" },
      body: whatsapp,
      headers: () => signWhatsapp("wa", whatsapp),
      answer: [200, {}],
      trigger: { prompt: "hey", sender: { id: "49" } },
    },
    {
      provider: "stripe",
      data: { secretKey: "sk_1", webhookSecret: "whsec_stripe" },
      body: event,
      headers: () => signStripe("whsec_stripe", event),
      answer: [202, { id: expect.any(String) }],
      trigger: { prompt: "charge.refunded ch_1", sender: null },
    },
  ];

  it.each(cases)(
    "of $provider are checked, and its message becomes the prompt",
    async ({ provider, data, body, headers, answer, trigger }) => {
      const { id, webhookUrl } = await ofProvider(provider, data);
      for (let time = 0; time < 2; time++) {
        const { status, text } = await deliver(webhookUrl, body, { ...json, ...headers() });
        expect([status, JSON.parse(text)]).toEqual(answer);
      }
      const [run, ...others] = await startedBy(id);
      expect(others).toEqual([]);
      expect(run?.trigger).toMatchObject({ source: provider, payload: JSON.parse(body), ...trigger });

      const changed = body.replace("i", "j");
      if (provider !== "telegram")
        expectProblem(await deliver(webhookUrl, changed, { ...json, ...headers() }), {
          status: 401,
          code: "webhook_refused",
        });
      expectProblem(await deliver(webhookUrl, body, json), { status: 401, code: "webhook_refused" });
      expect(await startedBy(id)).toHaveLength(1);
    },
  );

  it("that are too old are refused", async () => {
    const old = new Date(Date.now() - 301_000);
    const { webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    const problem = expectProblem(
      await deliver(webhookUrl, "{}", signStandard(signingSecret, "{}", { id: "1", at: old })),
      {
        status: 401,
      },
    );
    expect(problem.detail).toBe("The delivery is refused: the timestamp is too far from now.");
  });

  it("cannot be checked once the credential is gone, and nothing is believed then", async () => {
    const { id, webhookUrl } = await ofProvider("github", { kind: "bearer", accessToken: "t", webhookSecret: "gh" });
    const { credentialId } = (await ann.browser.get(`${path}/${id}`)).body;
    await ann.browser.delete(`/api/organizations/${ann.organizationId}/credentials/${credentialId}`);
    expectProblem(await deliver(webhookUrl, "{}", signGithub("gh", "{}", "d2")), {
      status: 401,
      code: "webhook_refused",
    });
    expect(await startedBy(id)).toEqual([]);
  });

  it("follow the credential when its secret changes", async () => {
    const { id, webhookUrl } = await ofProvider("github", { kind: "bearer", accessToken: "t", webhookSecret: "old" });
    const { credentialId } = (await ann.browser.get(`${path}/${id}`)).body;
    await ann.browser.patch(`/api/organizations/${ann.organizationId}/credentials/${credentialId}`, {
      data: { webhookSecret: "new" },
    });
    expect((await deliver(webhookUrl, "{}", signGithub("old", "{}", "d3"))).status).toBe(401);
    expect((await deliver(webhookUrl, "{}", signGithub("new", "{}", "d3"))).status).toBe(202);
  });
});

describe("handshakes", () => {
  it("of Slack, Discord and WhatsApp are answered and start nothing, also while the webhook is off", async () => {
    const discord = createDiscordSigner();
    const challenge = JSON.stringify({ type: "url_verification", challenge: "c-1" });
    const ping = JSON.stringify({ type: 1 });
    const [slack, interactions, whatsapp] = await Promise.all([
      ofProvider("slack", { kind: "bearer", accessToken: "x", signingSecret: "sl" }, { active: false }),
      ofProvider("discord", { botToken: "b", applicationPublicKey: discord.publicKey }, { active: false }),
      ofProvider(
        "whatsapp",
        { accessToken: "t", phoneNumberId: "1", appSecret: "wa", verifyToken: "verify-me" },
        { active: false },
      ),
    ]);
    const subscribe = (token: string) =>
      `${whatsapp.webhookUrl}?hub.mode=subscribe&hub.challenge=77&hub.verify_token=${token}`;
    const answers = [
      await deliver(slack.webhookUrl, challenge, { ...json, ...signSlack("sl", challenge) }),
      await deliver(interactions.webhookUrl, ping, { ...json, ...discord.sign(ping) }),
      await deliver(subscribe("verify-me"), undefined, {}, "GET"),
      await deliver(subscribe("wrong"), undefined, {}, "GET"),
    ];
    expect(answers.map(({ status, text }) => [status, status === 200 ? text : ""])).toEqual([
      [200, "c-1"],
      [200, '{"type":1}'],
      [200, "77"],
      [401, ""],
    ]);
    for (const { id } of [slack, interactions, whatsapp]) expect(await startedBy(id)).toEqual([]);
  });

  it("of Discord's suggestions are answered at once", async () => {
    const discord = createDiscordSigner();
    const { id, webhookUrl } = await ofProvider("discord", { botToken: "b", applicationPublicKey: discord.publicKey });
    const body = JSON.stringify({ id: "1", type: 4, data: { name: "ask" } });
    const answer = await deliver(webhookUrl, body, { ...json, ...discord.sign(body) });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { type: 8, data: { choices: [] } }]);
    expect(await startedBy(id)).toEqual([]);
  });
});

describe("a webhook that is off", () => {
  it("refuses deliveries and starts nothing, and takes them again when it is on", async () => {
    const { id, webhookUrl } = await webhook({ signature: "none" });
    expect((await ann.browser.patch(`${path}/${id}`, { active: false })).body.active).toBe(false);
    expectProblem(await deliver(webhookUrl, "{}", json), { status: 409, code: "trigger_off" });
    expect(await startedBy(id)).toEqual([]);
    await ann.browser.patch(`${path}/${id}`, { active: true });
    expect((await deliver(webhookUrl, "{}", json)).status).toBe(202);
  });
});
