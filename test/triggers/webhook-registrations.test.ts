import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node } from "../support/runs/workflow-app.ts";
import { signGithub, signStripe } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

let hooks: WebhookApp;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider();
  hooks = await startWebhookApp();
});
afterAll(async () => {
  await hooks?.stop();
  await provider?.stop();
});

const account = {
  telegram: { botToken: "77:canary-token" },
  github: { kind: "bearer", accessToken: "canary-token" },
  stripe: { secretKey: "canary-token" },
};
type Name = keyof typeof account;

// What the vendors answer, as their references show it.
const noWebhook: Answer = {
  json: { ok: true, result: { url: "", has_custom_certificate: false, pending_update_count: 0 } },
};
const done = (description: string): Answer => ({ json: { ok: true, result: true, description } });
const webhookAt = (url: string): Answer => ({
  json: { ok: true, result: { url, has_custom_certificate: false, pending_update_count: 0 } },
});
const hook = (url: string): object => ({
  type: "Repository",
  id: 12_345_678,
  name: "web",
  active: true,
  events: ["*"],
  config: { content_type: "json", insecure_ssl: "0", url, secret: "********" },
  last_response: { code: null, status: "unused", message: null },
});
const endpoint = (url: string): object => ({
  id: "we_1Mr5jULkdIwHu7ix1ibLTM0x",
  object: "webhook_endpoint",
  enabled_events: ["*"],
  status: "enabled",
  url,
});

it("says which providers can be told where to deliver to, and which of them for a place only", async () => {
  const { status, body } = await hooks.owner.browser.get("/api/webhook-providers");
  expect(status).toBe(200);
  const delivering = hooks.app.parts.catalog.providers.filter(({ webhook }) => webhook);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(delivering.map(({ id }) => id));
  const of = (id: string) => body.data.find((entry: { id: string }) => entry.id === id);
  expect(of("discord")).toEqual({
    id: "discord",
    title: "Discord",
    credentialType: "discord_bot",
    canRegister: true,
    needsPlace: false,
  });
  expect(of("github")).toMatchObject({ canRegister: true, needsPlace: true });
  expect(of("slack")).toMatchObject({ canRegister: false, needsPlace: false });
});

const sentTo = (name: Name): { url: string; secret: string; json: Record<string, unknown> } => {
  const body = provider.requests().at(-1)?.body.toString() ?? "";
  if (name === "stripe") {
    const form = new URLSearchParams(body);
    return { url: form.get("url") ?? "", secret: "whsec_of_stripe", json: { events: form.getAll("enabled_events[]") } };
  }
  const json = JSON.parse(body);
  return name === "telegram"
    ? { url: json.url, secret: json.secret_token, json }
    : { url: json.config.url, secret: json.config.secret, json };
};

const settingUp: Record<Name, Answer[]> = {
  telegram: [noWebhook, done("Webhook was set")],
  github: [{ status: 201, json: hook("https://example.test") }],
  stripe: [{ json: { ...endpoint("https://example.test"), secret: "whsec_of_stripe" } }],
};

async function setUp(name: Name, fields: Record<string, unknown> = {}) {
  provider.script(settingUp[name]);
  const places = name === "github" ? { places: ["acme/shop"] } : {};
  const made = await hooks.ofProvider(
    name,
    { ...account[name], baseUrl: provider.url },
    { register: true, ...places, ...fields },
  );
  return { made, told: sentTo(name) };
}

const issue = JSON.stringify({
  action: "opened",
  repository: { full_name: "acme/shop" },
  sender: { id: 5, type: "User" },
});
const update = JSON.stringify({
  update_id: 1,
  message: { text: "hi", chat: { id: 1 }, from: { id: 7, is_bot: false } },
});
const event = JSON.stringify({ id: "evt_1", object: "event", type: "charge.refunded" });
const deliveries: Record<Name, (secret: string) => [body: string, headers: Record<string, string>]> = {
  telegram: (secret) => [update, { "x-telegram-bot-api-secret-token": secret }],
  github: (secret) => [issue, signGithub(secret, issue, "d1")],
  stripe: (secret) => [event, signStripe(secret, event)],
};
const names = Object.keys(account) as Name[];

describe("a webhook that is set up at its provider", () => {
  it.each(names)(
    "of %s is told its address and a secret, which nobody else sees, and takes what is signed with it",
    async (name) => {
      const { made, told } = await setUp(name);
      expect(made).toMatchObject({ isRegistered: true, active: true, webhookUrl: null, signingSecret: null });
      expect(told.url).toMatch(new RegExp(`^${hooks.app.platformUrl}/webhooks/${made.id}/[\\w-]{43}$`));
      expect((await deliver(told.url, ...deliveries[name](told.secret))).status).toBe(202);
      expect((await deliver(told.url, ...deliveries[name]("wrong"))).status).toBe(401);
      expect(await hooks.startedBy(made.id)).toHaveLength(1);

      const [row] = await hooks.app.database.query<{ text: string }>(
        "SELECT t::text AS text FROM trigger t WHERE id = $1",
        [made.id],
      );
      const seen = [
        JSON.stringify(made),
        row?.text ?? "",
        JSON.stringify(await hooks.read(made.id)),
        hooks.app.logLines.join(""),
      ].join("");
      const token = told.url.split("/").at(-1) ?? "";
      for (const secret of [told.secret, token]) {
        expect(secret.length).toBeGreaterThan(10);
        expect(seen).not.toContain(secret);
        expect(seen).not.toContain(Buffer.from(secret).toString("hex"));
      }
    },
  );

  it("asks for the events that it takes, as the provider calls them", async () => {
    const telegram = await setUp("telegram", { events: ["message", "callback_query"] });
    expect(telegram.told.json).toMatchObject({ allowed_updates: ["message", "callback_query"] });
    expect(provider.requests().map(({ path }) => path)).toEqual([
      "/bot77:canary-token/getWebhookInfo",
      "/bot77:canary-token/setWebhook",
    ]);
    const github = await setUp("github", { events: ["issues.opened", "issues.closed", "push"] });
    expect(github.told.json).toMatchObject({
      name: "web",
      active: true,
      events: ["issues", "push"],
      config: { content_type: "json" },
    });
    expect(provider.requests()).toMatchObject([
      { method: "POST", path: "/repos/acme/shop/hooks", headers: { authorization: "Bearer canary-token" } },
    ]);
    expect((await setUp("github")).told.json).toMatchObject({ events: ["*"] });
    expect((await setUp("stripe", { events: ["charge.refunded"] })).told.json).toEqual({ events: ["charge.refunded"] });
    expect((await setUp("stripe", { events: ["charge.*"] })).told.json).toEqual({ events: ["*"] });
  });

  it("is not made when the provider refuses, and says what it said without secrets", async () => {
    const refusals: [Name, Answer[]][] = [
      [
        "telegram",
        [
          noWebhook,
          {
            status: 400,
            json: { ok: false, error_code: 400, description: "Bad Request: bad webhook: 77:canary-token" },
          },
          noWebhook,
        ],
      ],
      ["github", [{ status: 404, json: { message: "Not Found canary-token", status: "404" } }, { json: [] }]],
      [
        "stripe",
        [
          { status: 400, json: { error: { message: "Invalid URL canary-token", type: "invalid_request_error" } } },
          { json: { data: [] } },
        ],
      ],
    ];
    for (const [name, answers] of refusals) {
      const credentialId = await hooks.connect(name, { ...account[name], baseUrl: provider.url });
      const before = await hooks.app.database.query("SELECT id FROM trigger");
      provider.script(answers);
      const wanted = {
        workflowId: hooks.workflowId,
        kind: "webhook",
        name: "W",
        provider: name,
        credentialId,
        register: true,
      };
      const { status, text } = await hooks.owner.browser.post(hooks.path, {
        ...wanted,
        ...(name === "github" && { places: ["acme/shop"] }),
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).toMatch(/bad webhook|Not Found|Invalid URL/);
      expect(text).not.toContain("canary");
      expect(await hooks.app.database.query("SELECT id FROM trigger")).toEqual(before);
    }
  });

  it("does not take a bot away from another address", async () => {
    const credentialId = await hooks.connect("telegram", { ...account.telegram, baseUrl: provider.url });
    const other = webhookAt("https://other.test/secret-path");
    provider.script([other, other]);
    const wanted = {
      workflowId: hooks.workflowId,
      kind: "webhook",
      name: "W",
      provider: "telegram",
      credentialId,
      register: true,
    };
    const problem = expectProblem(await hooks.owner.browser.post(hooks.path, wanted), {
      status: 409,
      code: "conflict",
    });
    expect(problem.detail).toBe("This bot delivers to another address at other.test. Remove that webhook first.");
    expect(provider.requests().every(({ path }) => path.endsWith("/getWebhookInfo"))).toBe(true);
  });

  it("is refused where there is nothing to tell, or not where", async () => {
    const credentialId = await hooks.connect("slack", { kind: "bearer", accessToken: "x", signingSecret: "s" });
    const wanted = { workflowId: hooks.workflowId, kind: "webhook", name: "W", register: true };
    const slack = await hooks.owner.browser.post(hooks.path, { ...wanted, provider: "slack", credentialId });
    expect(expectProblem(slack, { status: 400, code: "validation_failed" }).errors).toMatchObject([
      { pointer: "/register" },
    ]);
    const github = await hooks.connect("github", { ...account.github, baseUrl: provider.url });
    for (const places of [[], ["acme"], ["a/b", "a/c"], ["../x/y"]]) {
      const answer = await hooks.owner.browser.post(hooks.path, {
        ...wanted,
        provider: "github",
        credentialId: github,
        places,
      });
      expect(expectProblem(answer, { status: 400, code: "validation_failed" }).errors).toMatchObject([
        { pointer: "/places" },
      ]);
    }
    const generic = await hooks.owner.browser.post(hooks.path, { ...wanted, signature: "none" });
    expect(expectProblem(generic, { status: 400, code: "validation_failed" }).errors).toMatchObject([
      { pointer: "/register" },
    ]);
  });
});

const gone: Answer = { status: 204 };
const other = "https://other.test/hook";
const removing: Record<Name, (url: string) => Answer[]> = {
  telegram: (url) => [webhookAt(url), done("Webhook was deleted")],
  github: (url) => [{ json: [hook(other), hook(url)] }, gone],
  stripe: (url) => [
    { json: { object: "list", data: [endpoint(other), endpoint(url)], has_more: false } },
    { json: { id: "we_1Mr5jULkdIwHu7ix1ibLTM0x", object: "webhook_endpoint", deleted: true } },
  ],
};
const removed: Record<Name, object> = {
  telegram: { method: "POST", path: "/bot77:canary-token/deleteWebhook" },
  github: { method: "DELETE", path: "/repos/acme/shop/hooks/12345678" },
  stripe: { method: "DELETE", path: "/v1/webhook_endpoints/we_1Mr5jULkdIwHu7ix1ibLTM0x" },
};

const change = (id: string, fields: object) => hooks.owner.browser.patch(`${hooks.path}/${id}`, fields);
const changing: Record<Name, (url: string) => Answer[]> = {
  telegram: (url) => [webhookAt(url), done("Webhook was set")],
  github: (url) => [{ json: [hook(other), hook(url)] }, { json: hook(url) }],
  stripe: (url) => [
    { json: { object: "list", data: [endpoint(other), endpoint(url)], has_more: false } },
    { json: endpoint(url) },
  ],
};
const changed: Record<
  Name,
  { request: object; read: (body: string) => unknown; told: (sent: { url: string; secret: string }) => unknown }
> = {
  telegram: {
    request: { method: "POST", path: "/bot77:canary-token/setWebhook" },
    read: (body) => JSON.parse(body),
    told: ({ url, secret }) => ({ url, secret_token: secret, allowed_updates: ["message"] }),
  },
  github: {
    request: { method: "PATCH", path: "/repos/acme/shop/hooks/12345678" },
    read: (body) => JSON.parse(body),
    // GitHub removes a secret that is not sent again.
    told: ({ url, secret }) => ({
      active: true,
      events: ["issues"],
      config: { url, secret, content_type: "json", insecure_ssl: "0" },
    }),
  },
  stripe: {
    request: { method: "POST", path: "/v1/webhook_endpoints/we_1Mr5jULkdIwHu7ix1ibLTM0x" },
    read: (body) => Object.fromEntries(new URLSearchParams(body)),
    told: () => ({ "enabled_events[]": "charge.refunded", disabled: "false" }),
  },
};

describe("a webhook that was set up at its provider", () => {
  it.each(names)("of %s is removed there with its trigger, and only that one", async (name) => {
    const { made, told } = await setUp(name);
    provider.script(removing[name](told.url));
    expect((await hooks.owner.browser.delete(`${hooks.path}/${made.id}`)).status).toBe(204);
    expect(provider.requests()).toHaveLength(2);
    expect(provider.requests().at(-1)).toMatchObject(removed[name]);
  });

  it("leaves a bot alone that delivers to somebody else by now", async () => {
    const { made } = await setUp("telegram");
    provider.script([webhookAt(other)]);
    expect((await hooks.owner.browser.delete(`${hooks.path}/${made.id}`)).status).toBe(204);
    expect(provider.requests()).toHaveLength(1);
  });

  it("and cannot be removed is told of, while the trigger goes", async () => {
    const { made } = await setUp("github");
    provider.script([{ status: 401, json: { message: "Bad credentials canary-token", status: "401" } }]);
    const { status, body, text } = await hooks.owner.browser.delete(`${hooks.path}/${made.id}`);
    expect([status, body.notRemoved]).toEqual([
      200,
      expect.stringMatching(
        /^GitHub may still have the webhook.*It is tried again for three days; or remove it there\.$/,
      ),
    ]);
    expect(text).not.toContain("canary");
    expect((await hooks.owner.browser.get(`${hooks.path}/${made.id}`)).status).toBe(404);
    expect(hooks.app.logLines.some((line) => line.includes("could not be removed") && line.includes(made.id))).toBe(
      true,
    );
  });

  it("goes with its workflow", async () => {
    const workflowId = await hooks.flows.save([node("a", "set_fields", { fields: { x: "1" } })]);
    const { told } = await setUp("github", { workflowId });
    provider.script(removing.github(told.url));
    expect((await hooks.owner.browser.delete(`${hooks.flows.path}/workflows/${workflowId}`)).status).toBe(204);
    expect(provider.requests().at(-1)).toMatchObject(removed.github);
  });

  it.each(names)(
    "of %s changes its events in place: address and secret stay, and nothing is removed meanwhile",
    async (name) => {
      const { made, told } = await setUp(name);
      provider.script(changing[name](told.url));
      const events = name === "telegram" ? ["message"] : name === "github" ? ["issues.opened"] : ["charge.refunded"];
      const { status, body } = await change(made.id, { events });
      expect([status, body.events, body.isRegistered]).toEqual([200, events, true]);
      expect(provider.requests()).toHaveLength(2);
      expect(provider.requests().at(-1)).toMatchObject(changed[name].request);
      expect(changed[name].read(provider.requests().at(-1)?.body.toString() ?? "")).toEqual(changed[name].told(told));
      expect((await deliver(told.url, ...deliveries[name](told.secret))).status).toBe(202);
    },
  );

  it("is told anew when its account or its address changes, or when the provider has it no more, and not otherwise", async () => {
    const { made, told } = await setUp("github");
    provider.script([]);
    expect(
      (
        await change(made.id, {
          name: "New",
          takesBots: true,
          filter: "true",
          events: [],
          places: ["acme/shop"],
          active: true,
        })
      ).status,
    ).toBe(200);
    expect(provider.requests()).toEqual([]);

    provider.script([
      { json: [hook(other), hook(`${hooks.app.platformUrl}/webhooks/${made.id}/older`)] },
      ...settingUp.github,
      { json: [] },
    ]);
    expect((await change(made.id, { events: ["push"] })).status).toBe(200);
    const [, set] = provider.requests();
    expect([set?.method, set?.path]).toEqual(["POST", "/repos/acme/shop/hooks"]);
    const second = JSON.parse(set?.body.toString() ?? "").config as { url: string; secret: string };
    expect((await deliver(told.url, ...deliveries.github(told.secret))).status).toBe(404);
    expect((await deliver(second.url, ...deliveries.github(told.secret))).status).toBe(401);

    provider.script([...settingUp.github, ...removing.github(second.url)]);
    const answer = await hooks.owner.browser.post(`${hooks.path}/${made.id}/regenerate-token`);
    expect([answer.status, answer.body.webhookUrl, answer.body.signingSecret]).toEqual([200, null, null]);
    expect(provider.requests().map(({ method }) => method)).toEqual(["POST", "GET", "DELETE"]);

    const credentialId = await hooks.connect("github", { ...account.github, baseUrl: provider.url });
    provider.script([
      ...settingUp.github,
      { status: 500, json: {} },
      { status: 500, json: {} },
      { status: 500, json: {} },
    ]);
    expect((await change(made.id, { credentialId })).status).toBe(200);
    expect((await hooks.read(made.id)).lastError).toMatch(/^GitHub may still have the webhook/);
  });

  it("stays as the provider knows it where that refuses a change", async () => {
    const { made, told } = await setUp("github", { events: ["issues"] });
    const invalid: Answer = { status: 422, json: { message: "Validation Failed" } };
    provider.script([{ json: [hook(told.url)] }, invalid]);
    expect((await change(made.id, { events: ["push"] })).status).toBeGreaterThanOrEqual(400);
    expect(await hooks.read(made.id)).toMatchObject({
      events: ["issues"],
      lastError: expect.stringMatching(/^The webhook could not be set up: .*Validation Failed/),
    });
    expect((await deliver(told.url, ...deliveries.github(told.secret))).status).toBe(202);

    provider.script([invalid, { json: [hook(told.url)] }]);
    expect((await change(made.id, { places: ["acme/other"] })).status).toBeGreaterThanOrEqual(400);
    expect(provider.requests().map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(await hooks.read(made.id)).toMatchObject({ places: ["acme/shop"], isRegistered: true });
    expect((await deliver(told.url, ...deliveries.github(told.secret))).status).toBe(202);

    provider.script([{ json: [hook(told.url)] }, { json: hook(told.url) }]);
    expect((await change(made.id, { events: [] })).status).toBe(200);
    expect((await hooks.read(made.id)).lastError).toBeNull();
  });

  it("can be one that was set up by hand before", async () => {
    const data = { ...account.telegram, webhookSecret: "by-hand", baseUrl: provider.url };
    const made = await hooks.ofProvider("telegram", data);
    expect(made).toMatchObject({ isRegistered: false });
    provider.script(settingUp.telegram);
    const { status, body } = await hooks.owner.browser.patch(`${hooks.path}/${made.id}`, { register: true });
    expect([status, body.isRegistered]).toEqual([200, true]);
    const { url, secret } = sentTo("telegram");
    expect((await deliver(url, ...deliveries.telegram("by-hand"))).status).toBe(401);
    expect((await deliver(url, ...deliveries.telegram(secret))).status).toBe(202);
  });

  it("goes with its organization", async () => {
    const { told } = await setUp("stripe");
    const registered = await hooks.app.database.query("SELECT id FROM trigger WHERE registered_place IS NOT NULL");
    await hooks.app.database.query(
      "UPDATE trigger SET registered_place = NULL WHERE token_sha256 <> sha256($1::text::bytea)",
      [told.url.split("/").at(-1)],
    );
    expect(registered.length).toBeGreaterThan(0);
    provider.script(removing.stripe(told.url));
    const { status, body } = await hooks.owner.browser.delete(hooks.flows.path);
    expect([status, body]).toEqual([204, undefined]);
    expect(provider.requests().at(-1)).toMatchObject(removed.stripe);
  });
});
