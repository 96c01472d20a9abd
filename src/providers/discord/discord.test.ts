import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { discordCredential } from "./credential.ts";
import { action as sendMessage } from "./send_message.ts";
import { discordWebhook } from "./webhook.ts";

const credential = { botToken: "bot-secret" };
const headers = { authorization: "Bot bot-secret", "user-agent": expect.stringMatching(/^DiscordBot \(.+, .+\)$/) };
const allowed_mentions = { parse: [] };

describeHttpTool(sendMessage, {
  credential,
  failure: {
    answer: {
      status: 400,
      json: {
        code: 50035,
        message: "Invalid Form Body",
        errors: { embeds: { 0: { title: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Too long." }] } } } },
      },
    },
    says: /^Discord refused the call \(400 50035\): Invalid Form Body\. embeds\.0\.title: Too long\.$/,
  },
  cases: [
    {
      name: "posts a message that pings nobody",
      input: { channelId: "123", content: "Hello @everyone" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/channels/123/messages",
            headers,
            json: { content: "Hello @everyone", allowed_mentions },
          },
          answer: { json: { id: "9", channel_id: "123", timestamp: "2026-01-01T00:00:00.000000+00:00" } },
        },
      ],
      items: [{ id: "9", channelId: "123", timestamp: "2026-01-01T00:00:00.000000+00:00" }],
    },
    {
      name: "pings those who may be pinged",
      input: { channelId: "123", content: "<@1> @everyone", mentions: ["users", "everyone"] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/channels/123/messages",
            json: { content: "<@1> @everyone", allowed_mentions: { parse: ["users", "everyone"] } },
          },
          answer: { json: { id: "9" } },
        },
      ],
      items: [{ id: "9" }],
    },
    {
      name: "sends embeds as a reply",
      input: { channelId: "12", content: "ü\n\"'", embeds: [{ title: "T" }], replyToMessageId: "77" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/channels/12/messages",
            json: {
              content: "ü\n\"'",
              embeds: [{ title: "T" }],
              allowed_mentions,
              message_reference: { message_id: "77" },
            },
          },
          answer: { json: { id: "10" } },
        },
      ],
      items: [{ id: "10" }],
    },
    {
      name: "answers an interaction in the place of the answer that is waited for",
      input: { channelId: "123", content: "Done", applicationId: "77", interactionToken: "aW50ZXI" },
      exchanges: [
        {
          request: {
            method: "PATCH",
            path: "/webhooks/77/aW50ZXI/messages/@original",
            json: { content: "Done", allowed_mentions },
          },
          answer: { json: { id: "12", channel_id: "123", timestamp: "2026-01-01T00:00:00.000000+00:00" } },
        },
      ],
      items: [{ id: "12", channelId: "123", timestamp: "2026-01-01T00:00:00.000000+00:00" }],
    },
    {
      name: "sends embeds alone",
      input: { channelId: "123", embeds: [{ title: "T" }] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/channels/123/messages",
            json: { embeds: [{ title: "T" }], allowed_mentions },
          },
          answer: { json: { id: "11" } },
        },
      ],
      items: [{ id: "11" }],
    },
  ],
});

it.each([
  [{ channelId: "1/../2?x#y" }, "/channelId"],
  [{ channelId: " 1" }, "/channelId"],
  [{ replyToMessageId: "007" }, "/replyToMessageId"],
  [{ interactionToken: "t" }, "/applicationId"],
  [{ interactionToken: "t", applicationId: "x/y" }, "/applicationId"],
  [{ applicationId: "77" }, "/interactionToken"],
  [{ interactionToken: "t", applicationId: "77", replyToMessageId: "5" }, "/replyToMessageId"],
  [{ embeds: [{ title: "T" }, { titel: "T" }] }, "/embeds/1/titel"],
])("refuses %j, which Discord would misunderstand", async (input, pointer) => {
  const outcome = callTool(sendMessage, { input: { channelId: "1", content: "x", ...input }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

it.each([{}, { content: "" }, { embeds: [] }])("refuses a message with nothing in it: %j", async (nothing) => {
  const outcome = callTool(sendMessage, { input: { channelId: "1", ...nothing }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/content" }] });
});

describe("the Discord credential", () => {
  it("is checked", async () => {
    expect(await useCredential(discordCredential, credential, [{ json: { id: "1" } }])).toMatchObject([
      { method: "GET", path: "/users/@me", headers },
    ]);
  });

  it("says how long to wait when only the body says it", async () => {
    const answer = { status: 429, json: { message: "You are being rate limited.", retry_after: 64.57, global: false } };
    const outcome = useCredential(discordCredential, credential, [answer, answer, answer]);
    await expect(outcome).rejects.toThrow(
      "Discord refused the call (429): You are being rate limited. Try again in 65 s.",
    );
  });
});

describe("an interaction of Discord", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const secret = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("hex");
  const seconds = 1_790_000_000;
  const options = { secret, now: new Date(seconds * 1000) };
  const signatureOf = (body: string, timestamp: string) =>
    sign(null, Buffer.from(timestamp + body), privateKey).toString("hex");
  const request = (body: string, timestamp = String(seconds), signature = signatureOf(body, timestamp)) => ({
    method: "POST",
    url: "https://switchyard.example/webhooks/x",
    query: {},
    headers: { "x-signature-ed25519": signature, "x-signature-timestamp": timestamp },
    body: Buffer.from(body),
  });

  it("is believed with its signature", () => {
    const verdict = discordWebhook.verify(request('{"type":2,"id":"55"}'), options);
    expect(verdict).toEqual({ accepted: true, event: "application_command", deliveryId: "55" });
  });

  it("that only pings gets its answer", () => {
    const answer = { status: 200, contentType: "application/json", body: '{"type":1}' };
    expect(discordWebhook.verify(request('{"type":1}'), options)).toEqual({ accepted: true, answer });
  });

  it("is not believed when anything of it was changed", () => {
    const signature = signatureOf('{"type":1}', String(seconds));
    const changed = [
      request('{"type":2}', String(seconds), signature),
      request('{"type":1}', String(seconds + 1), signature),
      request('{"type":1}', String(seconds), ""),
      request('{"type":1}', String(seconds), signature.slice(2)),
      request('{"type":1}', String(seconds), "zz".repeat(64)),
    ];
    for (const each of changed) expect(discordWebhook.verify(each, options)).toMatchObject({ accepted: false });
  });

  it("is not believed when the key is none or another one", () => {
    for (const key of ["", "zz".repeat(32), "00".repeat(32), "ff".repeat(32)]) {
      expect(discordWebhook.verify(request('{"type":1}'), { ...options, secret: key })).toMatchObject({
        accepted: false,
      });
    }
  });

  it("is believed for five minutes before and after its time and no longer", () => {
    for (const offset of [-300, 300])
      expect(discordWebhook.verify(request("{}", String(seconds + offset)), options)).toMatchObject({ accepted: true });
    for (const offset of [-301, 301])
      expect(discordWebhook.verify(request("{}", String(seconds + offset)), options)).toMatchObject({
        accepted: false,
      });
  });
});
