import type { CredentialCall, CredentialData } from "./credential.ts";

/** An incoming call of a provider, as bytes: signatures are over what was sent, not over what was understood. */
export type WebhookRequest = {
  method: string;
  /** The public address the provider called, with its query. */
  url: string;
  headers: Record<string, string>;
  query: Record<string, string>;
  body: Buffer;
};

export type WebhookVerdict =
  /** Believed. `deliveryId` is the same when the provider repeats itself. */
  | { accepted: true; event: string | null; deliveryId: string | null }
  /** A handshake that wants an answer and starts nothing. */
  | { accepted: true; answer: { status: number; contentType: string; body: string } }
  | { accepted: false; reason: string };

type WebhookOptions = {
  secret: string;
  now: Date;
  /** The opened credential, for schemes that need more of it than the one secret. */
  credential?: CredentialData;
};

/** What was delivered, as a value. `deliveryId` is the same when the provider repeats itself. */
export type WebhookEvent = { event: string | null; deliveryId: string | null; payload: unknown };

/**
 * Who caused an event, where that is no person: the account that workflows act as, another bot, or nobody, because it is a receipt for what
 * the account sent to somebody.
 */
export type EventOrigin = { by: "own" | "bot" } | { by: "receipt"; to: string };

/** How a provider is told by its API where to deliver to. Addresses of one webhook have the same beginning. */
export type WebhookRegistration = {
  /** The form of the place that it belongs to, and how that is called; null where it belongs to the whole account. */
  place: { pattern: RegExp; detail: string } | null;
  register: (call: CredentialCall, request: RegistrationRequest) => Promise<void>;
  /** Changes, without a moment in which nothing is delivered, which events come to the address. False where nothing delivers to it. */
  changeEvents: (
    call: CredentialCall,
    registered: Registered & Pick<RegistrationRequest, "secret" | "events">,
  ) => Promise<boolean>;
  /** Removes what delivers to the addresses, if anything does. */
  remove: (call: CredentialCall, registered: Registered) => Promise<void>;
};

/** What is set up at a provider: `isAt` knows the addresses that are meant, among those with the same beginning. */
export type Registered = Pick<RegistrationRequest, "urlStart" | "place"> & { isAt: (url: string) => boolean };

export type RegistrationRequest = {
  url: string;
  urlStart: string;
  secret: string;
  /** Told the secret that it signs with, where that is its own and not ours: before the first delivery that is to be believed. */
  keepSecret: (secret: string) => Promise<void>;
  /** Names of events as somebody chose them; none: all of them. */
  events: string[];
  place: string;
};

export type Webhook = {
  /** Which field of the credential holds the signing secret. */
  secretField: string;
  verify: (request: WebhookRequest, options: WebhookOptions) => WebhookVerdict;
  registration?: WebhookRegistration;
  /** The events of a delivery, where it carries several, or something is around the one. */
  eventsOf?: (delivered: WebhookEvent) => WebhookEvent[];
  /** What an event is called more exactly than by its name, for example issues.opened. */
  namesOf?: (event: string, payload: unknown) => string[];
  /** Where an event happened, in each way that somebody may write it: a channel, a chat, a repository. */
  placesOf?: (payload: unknown) => string[];
  /** As far as the event tells; undefined: a person, or nobody knows. */
  originOf?: (payload: unknown, credential: CredentialData) => EventOrigin | undefined;
  /** Names of the events that have an origin whatever they tell, with all that is called more exactly. */
  neverOfPeople?: readonly string[];
  /** Which sender of events the account is itself, where an event does not tell. */
  findOwnSender?: (call: CredentialCall) => Promise<string | undefined>;
};

export const defineWebhook = (webhook: Webhook): Webhook => webhook;

/** What a provider sent, read as JSON; undefined when it is something else. */
export function readWebhookBody({ body }: Pick<WebhookRequest, "body">): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
