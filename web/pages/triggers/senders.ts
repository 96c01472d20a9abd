import { type DeliveringProvider, deliveringProviders } from "../../../src/triggers/wire.ts";

/** Who can deliver to a webhook, how that is checked, and what has to be pasted where. */
export type Sender = {
  id: string;
  title: string;
  /** Null: the webhook itself says how deliveries are checked. */
  provider: ({ id: string; secretTitle: string; alsoRegisters?: string } & EventWords) | null;
  signature: "standard" | "none" | null;
  whatToPaste: string;
};

type ProviderSender = {
  title: string;
  secretTitle: string;
  whatToPaste: string;
  /** What is made there beside the address, when it is set up from here. */
  alsoRegisters?: string;
} & EventWords;

/** How events and places are called there, for example. */
type EventWords = { eventExamples: string; placeTitle: string; placeExamples: string };

const providers: Readonly<Record<DeliveringProvider, ProviderSender>> = {
  slack: {
    eventExamples: "app_mention, message.im",
    placeTitle: "Channels",
    placeExamples: "C0123ABCD",
    title: "Slack",
    secretTitle: "Signing secret",
    whatToPaste:
      "On the page of your Slack app, open Event Subscriptions, turn it on and paste the address as Request URL. It also takes slash commands and interactivity.",
  },
  discord: {
    eventExamples: "application_command.ask",
    placeTitle: "Channels or servers",
    placeExamples: "1098765432101234567",
    title: "Discord",
    alsoRegisters: "Slash commands that the events name are made there too.",
    secretTitle: "Application public key",
    whatToPaste:
      "In the Discord developer portal, open General Information of your application and paste the address as Interactions Endpoint URL.",
  },
  telegram: {
    eventExamples: "message, callback_query",
    placeTitle: "Chats",
    placeExamples: "-1001234567890, @acme",
    title: "Telegram",
    secretTitle: "Webhook secret",
    whatToPaste:
      "Call setWebhook of your bot with the address as url and the webhook secret of the account as secret_token.",
  },
  whatsapp: {
    eventExamples: "messages.text, messages.image",
    placeTitle: "Phone number IDs",
    placeExamples: "106540352242922",
    title: "WhatsApp",
    secretTitle: "App secret",
    whatToPaste:
      "In your Meta app, open WhatsApp, Configuration. Paste the address as Callback URL, enter the verify token of the account and subscribe to messages.",
  },
  github: {
    eventExamples: "issues.opened, pull_request",
    placeTitle: "Repositories",
    placeExamples: "acme/shop",
    title: "GitHub",
    secretTitle: "Webhook secret",
    whatToPaste:
      "In the repository or organization, open Settings, Webhooks, Add webhook. Paste the address as Payload URL, choose application/json and enter the webhook secret of the account as Secret.",
  },
  stripe: {
    eventExamples: "charge.refunded, invoice.*",
    placeTitle: "Connected accounts",
    placeExamples: "acct_1Mr5jU",
    title: "Stripe",
    secretTitle: "Webhook secret",
    whatToPaste:
      "In Stripe, open Developers, Webhooks and add an endpoint with the address. Then put the signing secret that Stripe shows, whsec_…, into the account.",
  },
};

export const senders: readonly Sender[] = [
  {
    id: "standard",
    title: "Any sender, signed (Standard Webhooks)",
    provider: null,
    signature: "standard",
    whatToPaste:
      "Give the sender the address and the secret. It signs each delivery as Standard Webhooks says; most languages have a library for it.",
  },
  {
    id: "none",
    title: "Any sender, not signed",
    provider: null,
    signature: "none",
    whatToPaste: "Give the sender the address. Whoever knows it can start runs, so treat it like a password.",
  },
  ...deliveringProviders.map((id) => toSender(id)),
];

function toSender(id: DeliveringProvider): Sender {
  const { title, whatToPaste, ...words } = providers[id];
  return { id, title, provider: { id, ...words }, signature: null, whatToPaste };
}

/** The sender of a webhook that exists. */
export const senderOf = (trigger: { provider: string | null; signature: string | null }): Sender | undefined =>
  senders.find(({ id }) => id === (trigger.provider ?? trigger.signature));
