import { at, listAt, textAt } from "../contract/read.ts";
import type { DeliveringProvider } from "./wire.ts";

/** What is special about the deliveries of a provider. */
export type ProviderDelivery = {
  sender?: (payload: unknown) => { id: string | undefined; name: string | undefined };
  /** What somebody wrote, or a short title of what happened. */
  prompt: (payload: unknown, event: string | null) => string | undefined;
  /** A signed header that differs from delivery to delivery, for those that have no id of their own. */
  signedTimeHeader?: string;
  /** Instead of 202 with the run's id. */
  answer?: (payload: unknown) => DeliveryAnswer | undefined;
  /** Instead of saying why it started nothing. */
  answerIgnored?: (payload: unknown) => DeliveryAnswer | undefined;
  /** Asks for something at once and starts nothing. */
  answerOnly?: (payload: unknown) => DeliveryAnswer | undefined;
};

export type DeliveryAnswer = { status: number; contentType: string; body: string; headers?: Record<string, string> };

const json = (value: unknown): DeliveryAnswer => ({
  status: 200,
  contentType: "application/json",
  body: JSON.stringify(value),
});

/** The sender is told that all is well: whoever hears of a failure delivers again, and in the end no more. */
export const answerIgnored = (providerId: string | null, payload: unknown, reason: string): DeliveryAnswer =>
  deliveryOf(providerId)?.answerIgnored?.(payload) ?? json({ ignored: reason });

/** Undefined where nothing is special: any provider with a webhook.ts may deliver. */
export const deliveryOf = (providerId: string | null): ProviderDelivery | undefined =>
  Object.hasOwn(deliveries, providerId ?? "") ? deliveries[providerId as DeliveringProvider] : undefined;

const deliveries: Readonly<Record<DeliveringProvider, ProviderDelivery>> = {
  slack: {
    sender: (payload) => ({
      id: textAt(payload, "event", "user") ?? textAt(payload, "user_id") ?? textAt(payload, "payload", "user", "id"),
      name: textAt(payload, "user_name") ?? textAt(payload, "payload", "user", "username"),
    }),
    prompt: (payload) =>
      textAt(payload, "event", "text") ?? textAt(payload, "text") ?? textAt(payload, "payload", "actions", 0, "value"),
    signedTimeHeader: "x-slack-request-timestamp",
    answer: answerSlack,
    answerIgnored: answerSlack,
  },
  discord: {
    sender: (payload) => {
      const user = at(payload, "member", "user") ?? at(payload, "user");
      return { id: textAt(user, "id"), name: textAt(user, "username") };
    },
    prompt: (payload) => {
      const options = listAt(payload, "data", "options").map((option) => textAt(option, "value"));
      const text = options.filter((value) => value !== undefined).join(" ");
      return (
        text ||
        textAt(payload, "message", "content") ||
        textAt(payload, "data", "name") ||
        textAt(payload, "data", "custom_id")
      );
    },
    signedTimeHeader: "x-signature-timestamp",
    // "Deferred": Discord shows that an answer is being made; the run sends it with the interaction's token.
    answer: () => json({ type: 5 }),
    // Discord shows a failure to whoever gets no answer; this one only that person sees.
    answerIgnored: () => json({ type: 4, data: { content: "This started nothing.", flags: 64 } }),
    // Suggestions while somebody types; it asks for no run.
    answerOnly: (payload) => (at(payload, "type") === 4 ? json({ type: 8, data: { choices: [] } }) : undefined),
  },
  telegram: {
    sender: (payload) => {
      const from = at(messageOf(payload), "from") ?? at(payload, "callback_query", "from");
      return { id: textAt(from, "id"), name: textAt(from, "username") ?? textAt(from, "first_name") };
    },
    prompt: (payload) =>
      textAt(messageOf(payload), "text") ??
      textAt(messageOf(payload), "caption") ??
      textAt(payload, "callback_query", "data"),
  },
  whatsapp: {
    sender: (payload) => {
      const change = at(payload, "entry", 0, "changes", 0, "value");
      return { id: textAt(change, "messages", 0, "from"), name: textAt(change, "contacts", 0, "profile", "name") };
    },
    prompt: (payload) => textAt(payload, "entry", 0, "changes", 0, "value", "messages", 0, "text", "body"),
    // Meta repeats what is answered with anything but 200.
    answer: () => json({}),
  },
  github: {
    sender: (payload) => ({ id: textAt(payload, "sender", "id"), name: textAt(payload, "sender", "login") }),
    prompt: (payload, event) => {
      const title = ["issue", "pull_request", "release", "discussion"]
        .map((thing) => titleOf(at(payload, thing)))
        .find((text) => text);
      const words = [event, textAt(payload, "action"), textAt(payload, "repository", "full_name")].filter(
        (word) => word !== undefined,
      );
      return [words.filter((word) => word !== null).join(" "), title ?? textAt(payload, "head_commit", "message")]
        .filter(Boolean)
        .join(": ");
    },
  },
  stripe: {
    prompt: (payload, event) =>
      [event, textAt(payload, "data", "object", "id")].filter((word) => word != null).join(" "),
    signedTimeHeader: "stripe-signature",
  },
};

/** Slack shows the body of an answer to a command or a click. */
function answerSlack(payload: unknown): DeliveryAnswer | undefined {
  return at(payload, "event") === undefined ? { status: 200, contentType: "text/plain", body: "" } : undefined;
}

const messageOf = (payload: unknown): unknown =>
  at(payload, "message") ??
  at(payload, "edited_message") ??
  at(payload, "channel_post") ??
  at(payload, "edited_channel_post");

const titleOf = (thing: unknown): string | undefined => textAt(thing, "title") ?? textAt(thing, "name");
