import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node } from "../support/runs/workflow-app.ts";
import { startTestApp } from "../support/test-app.ts";
import { createDiscordSigner, signGithub, signSlack, signWhatsapp } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

let hooks: WebhookApp;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider();
  hooks = await startWebhookApp({ environment: { TRIGGER_OWN_EVENTS_PER_MINUTE: "3" } });
});
afterAll(async () => {
  await hooks?.stop();
  await provider?.stop();
});

const discord = createDiscordSigner();
let deliveries = 0;

type Sent = {
  provider: string;
  data: Record<string, unknown>;
  body: (event: unknown) => string;
  sign: (body: string) => Record<string, string>;
};

const slack: Sent = {
  provider: "slack",
  data: { kind: "bearer", accessToken: "xoxb", signingSecret: "sl" },
  body: (event) =>
    JSON.stringify({
      token: "z",
      team_id: "T1",
      api_app_id: "A_OURS",
      event,
      type: "event_callback",
      event_id: `Ev${++deliveries}`,
      event_time: 1_355_517_523,
      authorizations: [
        { enterprise_id: null, team_id: "T1", user_id: "U_OURS", is_bot: true, is_enterprise_install: false },
      ],
    }),
  sign: (body) => signSlack("sl", body),
};
const telegram: Sent = {
  provider: "telegram",
  data: { botToken: "77:x", webhookSecret: "tg" },
  body: (event) => JSON.stringify({ update_id: ++deliveries, ...(event as object) }),
  sign: () => ({ "x-telegram-bot-api-secret-token": "tg" }),
};
const github: Sent = {
  provider: "github",
  data: { kind: "bearer", accessToken: "t", webhookSecret: "gh" },
  body: (sender) =>
    JSON.stringify({ action: "created", comment: { body: "hi" }, repository: { full_name: "a/b" }, sender }),
  sign: (body) => signGithub("gh", body, `d${++deliveries}`),
};
const whatsapp: Sent = {
  provider: "whatsapp",
  data: { accessToken: "t", phoneNumberId: "1", appSecret: "wa", verifyToken: "v" },
  body: (value) =>
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "9",
          changes: [
            { field: "messages", value: { messaging_product: "whatsapp", n: ++deliveries, ...(value as object) } },
          ],
        },
      ],
    }),
  sign: (body) => signWhatsapp("wa", body),
};
const interactions: Sent = {
  provider: "discord",
  data: { botToken: "b", applicationPublicKey: discord.publicKey },
  body: (user) =>
    JSON.stringify({
      id: String(++deliveries),
      application_id: "42",
      type: 2,
      data: { name: "ask" },
      member: { user },
    }),
  sign: (body) => discord.sign(body),
};

const message = { type: "message", channel: "C1", text: "hi", ts: "1.1", channel_type: "channel" };
const person = { ...message, user: "U1" };
const ofOurApp = {
  ...message,
  user: "U_OURS",
  bot_id: "B_OURS",
  app_id: "A_OURS",
  bot_profile: { id: "B_OURS", app_id: "A_OURS" },
};
const ofOtherBot = { ...message, user: "U2", bot_id: "B2", app_id: "A2" };
const status = { id: "wamid.1", status: "delivered", timestamp: "1", recipient_id: "49151" };
const chat = { id: 5, type: "group" };

const send = async ({ body, sign }: Sent, webhookUrl: string, event: unknown) => {
  const text = body(event);
  return await deliver(webhookUrl, text, sign(text));
};

describe("events that no person caused", () => {
  it.each<[string, Sent, unknown]>([
    ["a Slack message of our own app", slack, ofOurApp],
    // Under a name of its own choice, which the bot user is not told for.
    ["a Slack message of our own app by its id alone", slack, { ...message, user: "U9", app_id: "A_OURS" }],
    ["a Slack message of another bot", slack, ofOtherBot],
    [
      "a Slack message of an incoming webhook",
      slack,
      { ...message, subtype: "bot_message", bot_id: "B3", username: "alerts" },
    ],
    [
      "an edit of our own Slack message",
      slack,
      { ...message, text: undefined, subtype: "message_changed", message: ofOurApp },
    ],
    [
      "a deletion of our own Slack message",
      slack,
      { ...message, subtype: "message_deleted", previous_message: ofOurApp },
    ],
    [
      "a reaction of our own Slack bot",
      slack,
      { type: "reaction_added", user: "U_OURS", reaction: "eyes", item_user: "U1" },
    ],
    [
      "a Telegram message of another bot",
      telegram,
      { message: { message_id: 1, text: "hi", chat, from: { id: 8, is_bot: true } } },
    ],
    [
      "a Telegram message of our own bot",
      telegram,
      { edited_message: { message_id: 1, chat, from: { id: 77, is_bot: true } } },
    ],
    ["a comment of a GitHub app", github, { id: 41_898_282, login: "github-actions[bot]", type: "Bot" }],
    ["a WhatsApp status", whatsapp, { statuses: [status] }],
    [
      "a WhatsApp message sent from the phone",
      whatsapp,
      { message_echoes: [{ from: "1", to: "2", id: "w", type: "text" }] },
    ],
    ["a Discord interaction of a bot", interactions, { id: "42", username: "ours", bot: true }],
  ])("start nothing unless somebody asks for them: %s", async (_, sent, event) => {
    const { id, webhookUrl } = await hooks.ofProvider(sent.provider, sent.data);
    const answer = await send(sent, webhookUrl, event);
    expect(answer.status).toBe(200);
    expect(await hooks.startedBy(id)).toEqual([]);
    expect(await hooks.read(id)).toMatchObject({ takesBots: false, active: true, lastError: null });

    const changed = await hooks.owner.browser.patch(`${hooks.path}/${id}`, { takesBots: true });
    expect([changed.status, changed.body.takesBots]).toEqual([200, true]);
    expect((await send(sent, webhookUrl, event)).status).toBeLessThan(300);
    expect(await hooks.startedBy(id)).toHaveLength(1);
  });

  it.each<[string, Sent, unknown]>([
    ["a Slack message of a person", slack, person],
    ["an edit by a person", slack, { ...message, subtype: "message_changed", message: { ...person, text: "ho" } }],
    ["an answer in a thread of our bot", slack, { ...person, thread_ts: "1.0", parent_user_id: "U_OURS" }],
    ["our bot came into a channel", slack, { type: "member_joined_channel", user: "U_OURS", channel: "C1" }],
    [
      "a Telegram message of a person",
      telegram,
      { message: { message_id: 1, text: "hi", chat, from: { id: 8, is_bot: false } } },
    ],
    [
      "a Telegram message of an administrator who stays anonymous",
      telegram,
      { message: { message_id: 1, text: "hi", chat, sender_chat: chat, from: { id: 1_087_968_824, is_bot: true } } },
    ],
    ["a Telegram channel post", telegram, { channel_post: { message_id: 1, text: "hi", chat, sender_chat: chat } }],
    ["a GitHub comment of a person", github, { id: 5, login: "ann", type: "User" }],
    [
      "a WhatsApp message beside a status",
      whatsapp,
      { statuses: [status], messages: [{ from: "49", id: "w", text: { body: "hey" } }] },
    ],
    ["a Discord interaction of a person", interactions, { id: "7", username: "ann" }],
  ])("are not: %s", async (_, sent, event) => {
    const { id, webhookUrl } = await hooks.ofProvider(sent.provider, sent.data);
    expect((await send(sent, webhookUrl, event)).status).toBeLessThan(300);
    expect(await hooks.startedBy(id)).toHaveLength(1);
  });

  it("are a choice of webhooks of a provider only", async () => {
    const wanted = { workflowId: hooks.workflowId, name: "W", takesBots: true };
    const generic = await hooks.owner.browser.post(hooks.path, { ...wanted, kind: "webhook", signature: "none" });
    expectProblem(generic, { status: 400, code: "validation_failed" });
    const schedule = await hooks.owner.browser.post(hooks.path, {
      ...wanted,
      kind: "schedule",
      cron: "0 0 1 1 *",
      timeZone: "UTC",
    });
    expectProblem(schedule, { status: 400, code: "validation_failed" });
  });
});

describe("an event that no person ever causes", () => {
  const create = async (sent: Sent, fields: object) => {
    const credentialId = await hooks.connect(sent.provider, sent.data);
    const wanted = {
      workflowId: hooks.workflowId,
      kind: "webhook",
      name: "W",
      provider: sent.provider,
      credentialId,
      ...fields,
    };
    return await hooks.owner.browser.post(hooks.path, wanted);
  };
  const refused = (event: string) => ({
    pointer: "/events",
    detail: `has ${event}, which no person causes: tick "Also take events of bots" (takesBots), or leave it out`,
  });

  it.each<[Sent, string]>([
    [whatsapp, "statuses"],
    [whatsapp, "statuses.*"],
    [whatsapp, "statuses.delivered"],
    [whatsapp, "statuses*"],
    [whatsapp, "message_echoes"],
    [slack, "message.bot_message"],
  ])("is asked for only with those of bots: $0.provider $1", async (sent, event) => {
    for (const events of [[event], ["messages", event]]) {
      const { errors } = expectProblem(await create(sent, { events }), { status: 400, code: "validation_failed" });
      expect(errors).toEqual([refused(event)]);
    }
    expect((await create(sent, { events: [event], takesBots: true })).status).toBe(201);
  });

  it("may be one of those that a wider name stands for", async () => {
    for (const event of ["*", "s*", "messages.*"])
      expect((await create(whatsapp, { events: [event] })).status).toBe(201);
    for (const event of ["message", "message.*"]) expect((await create(slack, { events: [event] })).status).toBe(201);
  });

  it("is not what a change leaves over", async () => {
    const { body } = await create(whatsapp, { events: ["statuses"], takesBots: true });
    const change = async (fields: object) => await hooks.owner.browser.patch(`${hooks.path}/${body.id}`, fields);
    const { errors } = expectProblem(await change({ takesBots: false }), { status: 400, code: "validation_failed" });
    expect(errors).toEqual([refused("statuses")]);
    expect((await change({ takesBots: false, events: ["messages"] })).status).toBe(200);
    expectProblem(await change({ events: ["statuses.*"] }), { status: 400, code: "validation_failed" });
    expect(await hooks.read(body.id)).toMatchObject({ takesBots: false, events: ["messages"] });
    expect((await change({ takesBots: true, events: ["statuses.*"] })).status).toBe(200);
  });
});

describe("a workflow that starts itself", () => {
  const answering = (nodeId: string, parameters: object) => hooks.flows.save([node("a", nodeId, parameters)]);
  const slackAnswer = () => answering("slack_send_message", { channel: "C1", text: "hi" });
  const reasonOf = async (id: string) => (await hooks.read(id)).stoppedReason;

  it("more than so many times in a minute is stopped, over all processes, and says so until somebody turns it on", async () => {
    const second = await startTestApp({
      database: hooks.app.database,
      roles: ["platform"],
      environment: { TRIGGER_OWN_EVENTS_PER_MINUTE: "3" },
    });
    try {
      const { id, webhookUrl } = await hooks.ofProvider("slack", slack.data, {
        takesBots: true,
        workflowId: await slackAnswer(),
      });
      const urls = [webhookUrl, webhookUrl.replace(hooks.app.platformUrl, second.platformUrl)];
      const codes: number[] = [];
      for (let time = 0; time < 6; time++) codes.push((await send(slack, urls[time % 2] ?? "", ofOurApp)).status);
      expect(codes).toEqual([202, 202, 202, 409, 409, 409]);
      expect(await hooks.startedBy(id)).toHaveLength(3);
      const reason =
        "Turned off, because what its workflow does at Slack started it again more than 3 times in a minute. Change the workflow or the events before you turn it on.";
      expect(await hooks.read(id)).toMatchObject({ active: false, stoppedReason: reason });
      const failing = await hooks.owner.browser.get(`${hooks.path}?failing=true`);
      expect(failing.body.data.map(({ id: one }: { id: string }) => one)).toContain(id);
      const lines = [...hooks.app.logLines, ...second.logLines].filter(
        (line) => line.includes(id) && line.includes("starting itself"),
      );
      expect(lines).toHaveLength(1);

      const on = await hooks.owner.browser.patch(`${hooks.path}/${id}`, { active: true });
      expect(on.body).toMatchObject({ active: true, stoppedReason: null });
      expect((await send(slack, webhookUrl, ofOurApp)).status).toBe(202);
    } finally {
      await second.stop();
    }
  });

  it("is told from one that is busy: other senders, other bots, and what it does elsewhere", async () => {
    const workflowId = await slackAnswer();
    const [people, bots, elsewhere] = await Promise.all([
      hooks.ofProvider("slack", slack.data, { workflowId }),
      hooks.ofProvider("slack", slack.data, { workflowId, takesBots: true }),
      hooks.ofProvider("slack", slack.data, { takesBots: true }),
    ]);
    for (let time = 0; time < 6; time++) {
      expect((await send(slack, people.webhookUrl, { ...person, user: `U${time % 2}` })).status).toBe(202);
      expect((await send(slack, bots.webhookUrl, ofOtherBot)).status).toBe(202);
      expect((await send(slack, elsewhere.webhookUrl, ofOurApp)).status).toBe(202);
    }
    for (const { id } of [people, bots, elsewhere]) expect(await reasonOf(id)).toBeNull();
  });

  it("is counted anew after a minute", async () => {
    const { id, webhookUrl } = await hooks.ofProvider("slack", slack.data, {
      takesBots: true,
      workflowId: await slackAnswer(),
    });
    for (let time = 0; time < 3; time++) expect((await send(slack, webhookUrl, ofOurApp)).status).toBe(202);
    await hooks.app.database.query(
      "UPDATE trigger SET own_events_since = own_events_since - interval '61 seconds' WHERE id = $1",
      [id],
    );
    expect((await send(slack, webhookUrl, ofOurApp)).status).toBe(202);
    expect(await reasonOf(id)).toBeNull();
  });

  it("by receipts for what it sends to one person is stopped, by those of many is not", async () => {
    const workflowId = await answering("whatsapp_send_text_message", { to: "49151", text: "hi" });
    const [one, many] = await Promise.all(
      [0, 1].map(() => hooks.ofProvider("whatsapp", whatsapp.data, { workflowId, takesBots: true })),
    );
    for (let time = 0; time < 5; time++) {
      const another = { ...status, id: `wamid.${time}` };
      await send(whatsapp, one?.webhookUrl ?? "", { statuses: [another] });
      await send(whatsapp, many?.webhookUrl ?? "", { statuses: [{ ...another, recipient_id: `49${time}` }] });
    }
    expect(await reasonOf(one?.id ?? "")).toContain("WhatsApp");
    expect(await reasonOf(many?.id ?? "")).toBeNull();
    expect(await hooks.startedBy(many?.id ?? "")).toHaveLength(5);
  });

  it("as the person whose GitHub token it uses is stopped, and another person who is as busy is not", async () => {
    const workflowId = await answering("github_create_issue_comment", {
      owner: "a",
      repo: "b",
      issueNumber: 1,
      body: "hi",
    });
    const data = { ...github.data, baseUrl: provider.url };
    const [own, other] = await Promise.all([0, 1].map(() => hooks.ofProvider("github", data, { workflowId })));
    const ann = { json: { id: 5, login: "ann", type: "User" } };
    provider.script([ann, ann]);
    for (let time = 0; time < 12; time++) {
      await send(github, own?.webhookUrl ?? "", { id: 5, login: "ann", type: "User" });
      await send(github, other?.webhookUrl ?? "", { id: 6, login: "bob", type: "User" });
    }
    expect(await reasonOf(own?.id ?? "")).toContain("GitHub");
    expect(await reasonOf(other?.id ?? "")).toBeNull();
    expect(await hooks.startedBy(other?.id ?? "")).toHaveLength(12);
    const asked = { method: "GET", path: "/user", headers: { authorization: "Bearer t" } };
    expect(provider.requests()).toMatchObject([asked, asked]);
  });
});
