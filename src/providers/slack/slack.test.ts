import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { hmacHex } from "../../contract/signature.ts";
import { slackCredential } from "./credential.ts";
import { action as getChannelHistory } from "./get_channel_history.ts";
import { action as listChannels } from "./list_channels.ts";
import { action as sendMessage } from "./send_message.ts";
import { slackWebhook } from "./webhook.ts";

const credential = { kind: "bearer", accessToken: "xoxb-secret" };
const headers = { authorization: "Bearer xoxb-secret" };
const failure = {
  answer: { json: { ok: false, error: "missing_scope", needed: "chat:write" } },
  says: /^Slack refused the call \(missing_scope\): the scope chat:write is needed\.$/,
};

describeHttpTool(sendMessage, {
  credential,
  failure: {
    answer: {
      json: { ok: false, error: "invalid_blocks", response_metadata: { messages: ["[ERROR] must provide a string"] } },
    },
    says: /^Slack refused the call \(invalid_blocks\): \[ERROR\] must provide a string\.$/,
  },
  cases: [
    {
      name: "posts a message",
      input: { channel: "C1", text: "Hello" },
      exchanges: [
        {
          request: { method: "POST", path: "/chat.postMessage", headers, json: { channel: "C1", text: "Hello" } },
          answer: { json: { ok: true, ts: "1503435956.000247", channel: "C1", message: { text: "Hello" } } },
        },
      ],
      items: [{ ts: "1503435956.000247", channel: "C1" }],
    },
    {
      name: "shows a reply in the channel too, under another name",
      input: {
        channel: "#general",
        text: "Hi",
        threadTs: "1.2",
        replyBroadcast: true,
        username: "Deploys",
        iconEmoji: ":rocket:",
        unfurlLinks: false,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/chat.postMessage",
            json: {
              channel: "#general",
              text: "Hi",
              thread_ts: "1.2",
              reply_broadcast: true,
              username: "Deploys",
              icon_emoji: ":rocket:",
              unfurl_links: false,
            },
          },
          answer: { json: { ok: true, ts: "1.3", channel: "C1" } },
        },
      ],
      items: [{ ts: "1.3", channel: "C1" }],
    },
    {
      name: "answers in a thread with blocks and keeps every character",
      input: { channel: "C/1?#", text: 'ü "q" <b> \\ \n 🎉', threadTs: "1.2", blocks: [{ type: "divider" }] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/chat.postMessage",
            json: { channel: "C/1?#", text: 'ü "q" <b> \\ \n 🎉', thread_ts: "1.2", blocks: [{ type: "divider" }] },
          },
          answer: { json: { ok: true, ts: "1.3" } },
        },
      ],
      items: [{ ts: "1.3" }],
    },
  ],
});

const channel = (id: string) => ({
  id,
  name: `n-${id}`,
  is_private: false,
  is_member: true,
  topic: { value: "t" },
  num_members: 3,
});
const found = (id: string) => ({ id, name: `n-${id}`, isPrivate: false, isMember: true, topic: "t", memberCount: 3 });

describeHttpTool(listChannels, {
  credential,
  failure,
  cases: [
    {
      name: "lists channels up to the page that has no further one",
      input: {},
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/conversations.list?types=public_channel,private_channel&exclude_archived=true&limit=100",
            headers,
          },
          answer: {
            json: { ok: true, channels: [channel("C1"), { id: "C2" }], response_metadata: { next_cursor: "" } },
          },
        },
      ],
      items: [found("C1"), { id: "C2" }],
    },
    {
      name: "asks for at most 200 at once and for no more than are missing",
      input: { types: "im", excludeArchived: false, limit: 202 },
      exchanges: [
        {
          request: { method: "GET", path: "/conversations.list?types=im&exclude_archived=false&limit=200" },
          answer: {
            json: {
              ok: true,
              channels: Array.from({ length: 200 }, (_, index) => channel(`C${index}`)),
              response_metadata: { next_cursor: "a=/b" },
            },
          },
        },
        {
          request: { method: "GET", path: "/conversations.list?types=im&exclude_archived=false&limit=2&cursor=a=/b" },
          answer: {
            json: {
              ok: true,
              channels: [channel("x"), channel("y"), channel("z")],
              response_metadata: { next_cursor: "c" },
            },
          },
        },
      ],
      items: [...Array.from({ length: 200 }, (_, index) => found(`C${index}`)), found("x"), found("y")],
    },
  ],
});

describeHttpTool(getChannelHistory, {
  credential,
  failure,
  cases: [
    {
      name: "reads the newest messages",
      input: { channel: "C1" },
      exchanges: [
        {
          request: { method: "GET", path: "/conversations.history?channel=C1&limit=20", headers },
          answer: {
            json: {
              ok: true,
              messages: [
                { ts: "2.1", user: "U1", text: "Hi", thread_ts: "2.0", reply_count: 4 },
                { ts: "1.1", user: null },
              ],
            },
          },
        },
      ],
      items: [{ ts: "2.1", user: "U1", text: "Hi", threadTs: "2.0", replyCount: 4 }, { ts: "1.1" }],
    },
    {
      name: "reads a thread, with the names of who wrote, each asked for once",
      input: { channel: "C1", threadTs: "2.0", includeNames: true },
      exchanges: [
        {
          request: { method: "GET", path: "/conversations.replies?channel=C1&ts=2.0&limit=20" },
          answer: {
            json: {
              ok: true,
              messages: [
                { ts: "2.0", user: "U1", text: "Hi" },
                { ts: "2.1", user: "U1" },
                { ts: "2.2", bot_id: "B1", username: "Deploys" },
                { ts: "2.3", user: "U9" },
              ],
            },
          },
        },
        {
          request: { method: "GET", path: "/users.info?user=U1" },
          answer: {
            json: { ok: true, user: { id: "U1", name: "ann", real_name: "Ann A.", profile: { display_name: "Ann" } } },
          },
        },
        {
          request: { method: "GET", path: "/users.info?user=U9" },
          answer: { json: { ok: false, error: "user_not_found" } },
        },
      ],
      items: [
        { ts: "2.0", user: "U1", userName: "Ann", text: "Hi" },
        { ts: "2.1", user: "U1", userName: "Ann" },
        { ts: "2.2", userName: "Deploys" },
        { ts: "2.3", user: "U9" },
      ],
    },
    {
      name: "follows pages within the given times",
      input: { channel: "C&1", oldest: " 1.5 ", latest: "9", limit: 3 },
      exchanges: [
        {
          request: { method: "GET", path: "/conversations.history?channel=C&1&oldest=1.5&latest=9&limit=3" },
          answer: {
            json: { ok: true, messages: [{ ts: "3" }, { ts: "2" }], response_metadata: { next_cursor: "next" } },
          },
        },
        {
          request: {
            method: "GET",
            path: "/conversations.history?channel=C&1&oldest=1.5&latest=9&limit=1&cursor=next",
          },
          answer: { json: { ok: true, messages: [{ ts: "1.6" }], response_metadata: { next_cursor: "more" } } },
        },
      ],
      items: [{ ts: "3" }, { ts: "2" }, { ts: "1.6" }],
    },
    {
      name: "returns the first page when Slack allows only one a minute",
      input: { channel: "C1" },
      exchanges: [
        {
          request: { method: "GET", path: "/conversations.history?channel=C1&limit=20" },
          answer: { json: { ok: true, messages: [{ ts: "3" }], response_metadata: { next_cursor: "next" } } },
        },
        {
          request: { method: "GET", path: "/conversations.history?channel=C1&limit=19&cursor=next" },
          answer: { status: 429, headers: { "retry-after": "60" }, json: { ok: false, error: "ratelimited" } },
        },
      ],
      items: [{ ts: "3" }],
    },
  ],
});

it.each([
  [{ oldest: "yesterday" }, "/oldest"],
  [{ latest: "2026-01-01" }, "/latest"],
])("refuses %j, which is not Unix seconds", async (input, pointer) => {
  const outcome = callTool(getChannelHistory, { input: { channel: "C1", ...input }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

it.each([
  [
    "the first page comes too soon",
    [{ status: 429, headers: { "retry-after": "60" }, json: { ok: false, error: "ratelimited" } }],
    "ratelimited",
  ],
  [
    "a later page is refused for another reason than haste",
    [
      { json: { ok: true, messages: [{ ts: "3" }], response_metadata: { next_cursor: "next" } } },
      { json: { ok: false, error: "invalid_cursor" } },
    ],
    "invalid_cursor",
  ],
])("fails when %s", async (_name, answers, words) => {
  const provider = await startFakeProvider();
  try {
    provider.script(answers);
    const outcome = callTool(getChannelHistory, {
      input: { channel: "C1" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(outcome).rejects.toThrow(words);
  } finally {
    await provider.stop();
  }
});

describe("the Slack credential", () => {
  it.each([credential, { kind: "oauth2", accessToken: "xoxb-secret" }])("is checked as $kind", async (data) => {
    expect(await useCredential(slackCredential, data, [{ json: { ok: true } }])).toMatchObject([
      { method: "POST", path: "/auth.test", headers },
    ]);
  });

  it("does not pass a check that Slack refuses with status 200", async () => {
    await expect(
      useCredential(slackCredential, credential, [{ json: { ok: false, error: "invalid_auth" } }]),
    ).rejects.toThrow("Slack refused the call (invalid_auth).");
  });
});

describe("a call of Slack", () => {
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const seconds = 1_531_420_618;
  const at = (offsetSeconds: number) => ({ secret, now: new Date((seconds + offsetSeconds) * 1000) });
  const sign = (body: string, timestamp = String(seconds)) =>
    `v0=${hmacHex("sha256", secret, `v0:${timestamp}:${body}`)}`;
  const request = (body: string, signature = sign(body), timestamp = String(seconds)) => ({
    method: "POST",
    url: "https://switchyard.example/webhooks/x",
    query: {},
    headers: { "x-slack-signature": signature, "x-slack-request-timestamp": timestamp },
    body: Buffer.from(body),
  });
  const command =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const published = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

  it("is believed with the signature of Slack's own example", () => {
    expect(slackWebhook.verify(request(command, published), at(0))).toEqual({
      accepted: true,
      event: "/webhook-collect",
      deliveryId: "398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    });
  });

  it.each([published.replace("2", "3"), "", published.slice(3)])(
    "is not believed with the signature %j",
    (signature) => {
      expect(slackWebhook.verify(request(command, signature), at(0))).toMatchObject({ accepted: false });
    },
  );

  it("is believed for five minutes before and after its time and no longer", () => {
    for (const offset of [-300, 300])
      expect(slackWebhook.verify(request(command, published), at(offset))).toMatchObject({ accepted: true });
    for (const offset of [-301, 301])
      expect(slackWebhook.verify(request(command, published), at(offset))).toMatchObject({ accepted: false });
  });

  it("is not believed with a signed time that is none", () => {
    for (const timestamp of ["", "soon"])
      expect(slackWebhook.verify(request("{}", sign("{}", timestamp), timestamp), at(0))).toMatchObject({
        accepted: false,
      });
  });

  it("gets its challenge back when the address is set up", () => {
    const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" });
    expect(slackWebhook.verify(request(body), at(0))).toEqual({
      accepted: true,
      answer: { status: 200, contentType: "text/plain", body: "3eZbrw1a" },
    });
    expect(slackWebhook.verify(request(body, published), at(0))).toMatchObject({ accepted: false });
  });

  it("names its event and the id that stays the same when Slack repeats itself", () => {
    const event = JSON.stringify({ type: "event_callback", event_id: "Ev1", event: { type: "app_mention" } });
    expect(slackWebhook.verify(request(event), at(0))).toEqual({
      accepted: true,
      event: "app_mention",
      deliveryId: "Ev1",
    });
    const click = `payload=${encodeURIComponent(JSON.stringify({ type: "block_actions", trigger_id: "t1" }))}`;
    expect(slackWebhook.verify(request(click), at(0))).toEqual({
      accepted: true,
      event: "block_actions",
      deliveryId: "t1",
    });
    expect(slackWebhook.verify(request("null"), at(0))).toEqual({ accepted: true, event: null, deliveryId: null });
  });
});

it("refuses to show in the channel too what is no reply", async () => {
  const input = { channel: "C1", text: "Hi", replyBroadcast: true };
  await expect(callTool(sendMessage, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/replyBroadcast" }],
  });
});
