import { createHmac, randomBytes } from "node:crypto";

/** What an endpoint keeps sealed. After a rotation the secret before stays valid for a while. */
export type EndpointSecrets = { current: string; previous?: { secret: string; validUntil: string } };

type Message = { id: string; sentAt: Date; body: string };

const prefix = "whsec_";
const secretBytes = 32;
const previousValidMs = 24 * 3_600_000;

/** The headers of Standard Webhooks; the receiver accepts a message when any of the signatures fits. */
export function signEvent({ id, sentAt, body }: Message, secrets: EndpointSecrets): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = validSecrets(secrets, sentAt).map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

export const newEventSecret = (): string => prefix + randomBytes(secretBytes).toString("base64");

export const rotateSecrets = ({ current }: EndpointSecrets, next: string, now: Date): EndpointSecrets => ({
  current: next,
  previous: { secret: current, validUntil: new Date(now.getTime() + previousValidMs).toISOString() },
});

function validSecrets({ current, previous }: EndpointSecrets, now: Date): string[] {
  return previous && Date.parse(previous.validUntil) > now.getTime() ? [current, previous.secret] : [current];
}
