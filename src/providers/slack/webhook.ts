import { isSameText } from "../../base/same-text.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook, readWebhookBody, type WebhookRequest } from "../../contract/webhook.ts";

const toleranceSeconds = 300;
/** As Slack calls the events that one subscribes to: message.channels, message.im. */
const channelKinds: Record<string, string> = { channel: "channels", group: "groups", im: "im", mpim: "mpim" };

export const slackWebhook = defineWebhook({
  secretField: "signingSecret",
  verify(request, { secret, now }) {
    const { headers, body } = request;
    const timestamp = headers["x-slack-request-timestamp"] ?? "";
    const expected = `v0=${hmacHex("sha256", secret, `v0:${timestamp}:`, body)}`;
    if (!isSameText(headers["x-slack-signature"] ?? "", expected))
      return { accepted: false, reason: "the signature does not match" };
    const isFresh = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
    if (!isFresh) return { accepted: false, reason: "the timestamp is too far from now" };
    const message = readMessage(request);
    const type = textAt(message, "type");
    if (type === "url_verification")
      return {
        accepted: true,
        answer: { status: 200, contentType: "text/plain", body: textAt(message, "challenge") ?? "" },
      };
    return {
      accepted: true,
      event: textAt(message, "event", "type") ?? type ?? textAt(message, "command") ?? null,
      deliveryId: textAt(message, "event_id") ?? textAt(message, "trigger_id") ?? null,
    };
  },
  namesOf: (event, payload) =>
    known([channelKinds[textAt(payload, "event", "channel_type") ?? ""], textAt(payload, "event", "subtype")]).map(
      (kind) => `${event}.${kind}`,
    ),
  placesOf(payload) {
    const click = at(payload, "payload");
    const event = at(payload, "event");
    // Of some events, such as a new channel, it is all of the channel.
    const channels = [at(event, "channel"), at(event, "item", "channel"), at(click, "channel")];
    return known([
      ...channels.flatMap((channel) => [textAt(channel), textAt(channel, "id"), textAt(channel, "name")]),
      ...[textAt(payload, "channel_id"), textAt(payload, "channel_name")],
    ]);
  },
  neverOfPeople: ["message.bot_message"],
  originOf(payload) {
    const event = at(payload, "event");
    // That a bot came or left is news of the channel; Slack's own libraries pass it on too.
    if (["member_joined_channel", "member_left_channel"].includes(textAt(event, "type") ?? "")) return undefined;
    // An edited or deleted message is inside of the event that tells of it.
    const message = at(event, "message") ?? at(event, "previous_message") ?? event;
    const user = textAt(message, "user") ?? textAt(event, "user");
    const appId = textAt(message, "app_id") ?? textAt(message, "bot_profile", "app_id");
    const isOwnApp = appId !== undefined && appId === textAt(payload, "api_app_id");
    if (isOwnApp || (user !== undefined && ownBots(payload).includes(user))) return { by: "own" };
    const isBot =
      textAt(message, "bot_id") !== undefined || textAt(event, "subtype") === "bot_message" || user === "USLACKBOT";
    return isBot ? { by: "bot" } : undefined;
  },
});

/** The bot users that the event was delivered for. */
const ownBots = (payload: unknown): (string | undefined)[] =>
  listAt(payload, "authorizations").flatMap((one) => (at(one, "is_bot") === true ? [textAt(one, "user_id")] : []));

/** Events come as JSON, slash commands as a form, and clicks as a form with JSON in it. */
function readMessage(request: WebhookRequest): unknown {
  const form = Object.fromEntries(new URLSearchParams(request.body.toString("utf8")));
  return readWebhookBody(request) ?? readWebhookBody({ body: Buffer.from(form.payload ?? "") }) ?? form;
}
