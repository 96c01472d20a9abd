import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signGithub, signSlack, signStripe, signWhatsapp } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

let hooks: WebhookApp;
let deliveries = 0;

beforeAll(async () => {
  hooks = await startWebhookApp();
});
afterAll(() => hooks?.stop());

const account = {
  github: { kind: "bearer", accessToken: "t", webhookSecret: "gh" },
  slack: { kind: "bearer", accessToken: "xoxb", signingSecret: "sl" },
  stripe: { secretKey: "sk_1", webhookSecret: "whsec_stripe" },
  telegram: { botToken: "77:x", webhookSecret: "tg" },
  whatsapp: { accessToken: "t", phoneNumberId: "1", appSecret: "wa", verifyToken: "v" },
};

const issue = {
  action: "opened",
  issue: { number: 5, title: "It breaks", labels: [{ name: "bug" }] },
  repository: { full_name: "Acme/Shop" },
  sender: { id: 5, login: "ann", type: "User" },
};

function sendGithub(webhookUrl: string, payload: object, { event = "issues", form = false } = {}) {
  const text = JSON.stringify(payload);
  const body = form ? new URLSearchParams({ payload: text }).toString() : text;
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  return deliver(webhookUrl, body, {
    ...signGithub("gh", body, `d${++deliveries}`),
    "x-github-event": event,
    "content-type": type,
  });
}

function sendSlack(webhookUrl: string, event: object) {
  const body = JSON.stringify({ type: "event_callback", api_app_id: "A1", event_id: `Ev${++deliveries}`, event });
  return deliver(webhookUrl, body, signSlack("sl", body));
}

describe("the name of an event", () => {
  it("is $trigger.event, and the run shows it", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("github", account.github);
    const answer = await sendGithub(webhookUrl, issue);
    expect(await hooks.startedBy(id)).toMatchObject([{ event: "issues", payload: issue }]);
    const { body } = await hooks.flows.readRun(JSON.parse(answer.text).id);
    expect(body.trigger).toMatchObject({ event: "issues" });
  });

  it("is not there where nobody names it", async () => {
    const wanted = { workflowId: hooks.workflowId, kind: "webhook", name: "W", signature: "none" };
    const { body } = await hooks.owner.browser.post(hooks.path, wanted);
    await deliver(body.webhookUrl, '{"event":"x"}');
    expect((await hooks.startedBy(body.id))[0]).not.toHaveProperty("event");
  });
});

describe("GitHub", () => {
  it.each([true, false])(
    "gets an answer to its ping, which starts nothing, also while the webhook is off (form: %s)",
    async (form) => {
      const { id, webhookUrl } = await hooks.ofProvider("github", account.github, { active: false });
      const ping = {
        zen: "Design for failure.",
        hook_id: 2_472_869,
        hook: { type: "Repository", id: 2_472_869, events: ["push"] },
      };
      expect(await sendGithub(webhookUrl, ping, { event: "ping", form })).toMatchObject({ status: 200, text: "pong" });
      expect(await hooks.startedBy(id)).toEqual([]);
    },
  );

  it("is read the same as a form as it is as JSON", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("github", account.github);
    for (const form of [true, false]) expect((await sendGithub(webhookUrl, issue, { form })).status).toBe(202);
    const [asForm, asJson] = await hooks.startedBy(id);
    const shown = { payload: issue, sender: { id: "5", name: "ann" }, prompt: "issues opened Acme/Shop: It breaks" };
    expect([asForm, asJson]).toMatchObject([shown, shown]);
  });
});

describe("WhatsApp", () => {
  const metadata = { display_phone_number: "15550783881", phone_number_id: "106540352242922" };
  const text = (from: string, id: string, body: string) => ({
    from,
    id,
    timestamp: "1749416383",
    type: "text",
    text: { body },
  });
  const contact = (wa_id: string, name: string) => ({ profile: { name }, wa_id });
  const status = (id: string, word: string) => ({ id, status: word, timestamp: "1750030073", recipient_id: "49151" });
  const batch = (changes: object[][]) =>
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: changes.map((values, index) => ({
        id: `10229${index}`,
        changes: values.map((value) => ({ value, field: "messages" })),
      })),
    });
  const value = (fields: object) => ({ messaging_product: "whatsapp", metadata, ...fields });
  const send = (url: string, body: string) => deliver(url, body, signWhatsapp("wa", body));

  it("starts a run for each message of a delivery, once, however they are put together", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("whatsapp", account.whatsapp);
    const contacts = [contact("491", "Ann"), contact("492", "Bob")];
    const first = value({
      contacts,
      messages: [text("491", "wamid.1", "one"), text("492", "wamid.2", "two")],
      statuses: [status("s", "read")],
    });
    const second = value({ contacts: [contact("493", "Cy")], messages: [text("493", "wamid.3", "three")] });
    expect((await send(webhookUrl, batch([[first], [second]]))).status).toBe(200);
    expect((await send(webhookUrl, batch([[second]]))).status).toBe(200);
    const started = await hooks.startedBy(id);
    expect(started.map(({ prompt, sender, event }) => ({ prompt, sender, event }))).toEqual([
      { prompt: "one", sender: { id: "491", name: "Ann" }, event: "messages" },
      { prompt: "two", sender: { id: "492", name: "Bob" }, event: "messages" },
      { prompt: "three", sender: { id: "493", name: "Cy" }, event: "messages" },
    ]);
    expect(started[1]?.payload).toEqual({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "102290",
          changes: [
            {
              field: "messages",
              value: value({ contacts: [contact("492", "Bob")], messages: [text("492", "wamid.2", "two")] }),
            },
          ],
        },
      ],
    });
  });

  it("tells the statuses of one message apart where they are asked for", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("whatsapp", account.whatsapp, {
      takesBots: true,
      events: ["statuses.failed", "statuses.read"],
    });
    const statuses = ["sent", "delivered", "read", "read"].map((word) => status("wamid.9", word));
    expect((await send(webhookUrl, batch([[value({ statuses })]]))).status).toBe(200);
    expect(await hooks.startedBy(id)).toMatchObject([{ event: "statuses" }]);
  });
});

describe("a webhook that asks for some events only", () => {
  type Sent = (webhookUrl: string) => Promise<{ status: number; text: string }>;
  const github =
    (payload: object, event?: string): Sent =>
    (url) =>
      sendGithub(url, payload, { ...(event ? { event } : {}) });
  const slack =
    (event: object): Sent =>
    (url) =>
      sendSlack(url, event);
  const stripe =
    (type: string): Sent =>
    (url) => {
      const body = JSON.stringify({
        id: `evt_${++deliveries}`,
        object: "event",
        type,
        data: { object: { id: "ch_1", amount: 500 } },
      });
      return deliver(url, body, signStripe("whsec_stripe", body));
    };
  const telegram =
    (chat: object): Sent =>
    (url) =>
      deliver(
        url,
        JSON.stringify({
          update_id: ++deliveries,
          message: { message_id: 1, text: "hi", chat, from: { id: 8, is_bot: false } },
        }),
        {
          "x-telegram-bot-api-secret-token": "tg",
        },
      );
  const message = { type: "message", channel: "C1", channel_type: "channel", user: "U1", text: "hi", ts: "1.1" };
  const closed = { ...issue, action: "closed" };

  it.each<[string, keyof typeof account, Record<string, unknown>, [fitting: Sent, other: Sent]]>([
    ["a name", "github", { events: ["issues"] }, [github(issue), github(issue, "push")]],
    ["a name and what happened", "github", { events: ["issues.opened"] }, [github(issue), github(closed)]],
    [
      "the beginning of a name",
      "stripe",
      { events: ["charge.*"] },
      [stripe("charge.refunded"), stripe("invoice.paid")],
    ],
    [
      "a kind of Slack message",
      "slack",
      { events: ["message.im"] },
      [slack({ ...message, channel_type: "im" }), slack(message)],
    ],
    [
      "a repository, in any case",
      "github",
      { places: ["acme/shop"] },
      [github(issue), github({ ...issue, repository: { full_name: "a/b" } })],
    ],
    ["a Slack channel", "slack", { places: ["C1"] }, [slack(message), slack({ ...message, channel: "C2" })]],
    [
      "a chat by its name",
      "telegram",
      { places: ["@acme"] },
      [telegram({ id: -1, username: "Acme" }), telegram({ id: -2 })],
    ],
    [
      "a chat by its id",
      "telegram",
      { places: ["-2"] },
      [telegram({ id: -2 }), telegram({ id: -1, username: "acme" })],
    ],
    [
      "an expression",
      "github",
      { filter: "'bug' in $trigger.payload.issue.labels.name" },
      [github(issue), github({ ...issue, issue: {} })],
    ],
  ])("takes those that fit and leaves out the others: %s", async (_, provider, fields, [fitting, other]) => {
    const { id, webhookUrl } = await hooks.ofProvider(provider, account[provider], fields);
    expect(await hooks.read(id)).toMatchObject(fields);
    const left = await other(webhookUrl);
    expect([left.status, JSON.parse(left.text)]).toEqual([200, { ignored: expect.any(String) }]);
    expect(await hooks.startedBy(id)).toEqual([]);
    expect((await fitting(webhookUrl)).status).toBe(202);
    expect(await hooks.startedBy(id)).toHaveLength(1);
    expect((await hooks.read(id)).lastError).toBeNull();
  });

  it("takes those whose filter holds with the variables of now", async () => {
    const set = (value: string) =>
      hooks.owner.browser.send("PUT", `/api/organizations/${hooks.owner.organizationId}/variables/wanted`, { value });
    await set("closed");
    const filter = "$trigger.payload.action = $vars.wanted";
    const { webhookUrl } = await hooks.ofProvider("github", account.github, { filter });
    expect((await sendGithub(webhookUrl, issue)).status).toBe(200);
    await set(issue.action);
    expect((await sendGithub(webhookUrl, issue)).status).toBe(202);
  });

  it("says on the trigger when its expression fails, and does not make the sender try again", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("github", account.github, {
      filter: "$trigger.payload.action + 1",
    });
    expect((await sendGithub(webhookUrl, issue)).status).toBe(200);
    expect((await hooks.read(id)).lastError).toMatch(/^The filter failed: /);
    await hooks.owner.browser.patch(`${hooks.path}/${id}`, { filter: "$trigger.payload.action" });
    await sendGithub(webhookUrl, issue);
    expect((await hooks.read(id)).lastError).toMatch(/^The filter must give true or false/);
    expect(await hooks.startedBy(id)).toEqual([]);
    await hooks.owner.browser.patch(`${hooks.path}/${id}`, { filter: "" });
    expect((await sendGithub(webhookUrl, issue)).status).toBe(202);
    expect((await hooks.read(id)).lastError).toBeNull();
  });

  it("starts the other messages of a delivery when one of them keeps its filter busy, and says so", async () => {
    const filter = "$contains($trigger.prompt, /^(a+)+$/) = false";
    const { id, webhookUrl } = await hooks.ofProvider("whatsapp", account.whatsapp, { filter });
    const message = (from: string, body: string) => ({
      from,
      id: `wamid.${from}`,
      timestamp: "1750030073",
      type: "text",
      text: { body },
    });
    const messages = [message("1", `${"a".repeat(40)}!`), message("2", "Hello")];
    const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "1" }, messages };
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field: "messages", value }] }],
    });
    expect((await deliver(webhookUrl, body, signWhatsapp("wa", body))).status).toBe(200);
    expect(await hooks.startedBy(id)).toMatchObject([{ prompt: "Hello" }]);
    expect((await hooks.read(id)).lastError).not.toBeNull();
  });

  it("says that it is off, whatever its filter would say", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("github", account.github, { filter: "false" });
    await hooks.owner.browser.patch(`${hooks.path}/${id}`, { active: false });
    expect((await sendGithub(webhookUrl, issue)).status).toBe(409);
  });

  it("is refused with an expression that cannot be read, and with fields that do not belong to it", async () => {
    const credentialId = await hooks.connect("github", account.github);
    const wanted = { workflowId: hooks.workflowId, kind: "webhook", name: "W" };
    const broken = await hooks.owner.browser.post(hooks.path, {
      ...wanted,
      provider: "github",
      credentialId,
      filter: "a +",
    });
    expect(expectProblem(broken, { status: 400, code: "validation_failed" }).errors).toMatchObject([
      { pointer: "/filter" },
    ]);
    const generic = await hooks.owner.browser.post(hooks.path, {
      ...wanted,
      signature: "none",
      events: ["x"],
      places: ["y"],
    });
    expect(expectProblem(generic, { status: 400, code: "validation_failed" }).errors).toMatchObject([
      { pointer: "/events" },
      { pointer: "/places" },
    ]);
  });
});
