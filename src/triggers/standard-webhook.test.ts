import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSigningSecret, verifyStandardWebhook } from "./standard-webhook.ts";

const now = new Date("2026-11-15T12:00:00Z");
const secret = newSigningSecret();
const body = Buffer.from('{"a": 1}');

type Sent = { id?: string; atSeconds?: number; timestamp?: string; signed?: Buffer; secret?: string; before?: string };

function verify({
  id = "msg_1",
  atSeconds = 0,
  timestamp,
  signed = body,
  secret: key = secret,
  before = "",
}: Sent = {}) {
  const time = timestamp ?? String(now.getTime() / 1000 + atSeconds);
  const hmac = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`${id}.${time}.`)
    .update(signed);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `${before}v1,${hmac.digest("base64")}`,
  };
  return verifyStandardWebhook({ method: "POST", url: "", headers, query: {}, body }, { secret, now });
}

describe("a Standard Webhook", () => {
  it("is believed with the right signature, and its id is the delivery's", () => {
    expect(verify()).toEqual({ accepted: true, event: null, deliveryId: "msg_1" });
  });

  it("is judged like the example of the specification", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const example = { method: "POST", url: "", headers, query: {}, body: Buffer.from('{"test": 2432232314}') };
    const options = { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now: new Date(1614265330 * 1000) };
    expect(verifyStandardWebhook(example, options)).toMatchObject({ accepted: true });
  });

  it("is believed when one of several signatures is right", () => {
    expect(verify({ before: "v1a,xyz v1,AAAA " })).toMatchObject({ accepted: true });
  });

  it.each([-300, 300])("is believed %i seconds away", (atSeconds) =>
    expect(verify({ atSeconds })).toMatchObject({ accepted: true }),
  );

  it.each<[string, Sent]>([
    ["too old", { atSeconds: -301 }],
    ["too new", { atSeconds: 301 }],
    ["signed with another secret", { secret: newSigningSecret() }],
    ["over another body", { signed: Buffer.from('{"a":1}') }],
    ["with a dot in its id", { id: "msg.1" }],
    ["without an id", { id: "" }],
    ["with a dot in its timestamp", { timestamp: "1.5" }],
    ["without a timestamp", { timestamp: "" }],
  ])("is refused %s", (_, sent) => expect(verify(sent)).toMatchObject({ accepted: false }));

  it("is refused without a signature", () => {
    const headers = { "webhook-id": "m", "webhook-timestamp": String(now.getTime() / 1000) };
    expect(verifyStandardWebhook({ method: "POST", url: "", headers, query: {}, body }, { secret, now })).toMatchObject(
      {
        accepted: false,
      },
    );
  });

  it("gets a secret of 32 bytes with the usual prefix", () => {
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  });
});
