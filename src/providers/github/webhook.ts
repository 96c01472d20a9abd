import { isSameText } from "../../base/same-text.ts";
import { known, recordAt, textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook } from "../../contract/webhook.ts";

export const githubWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const expected = `sha256=${hmacHex("sha256", secret, body)}`;
    if (!isSameText(headers["x-hub-signature-256"] ?? "", expected)) return { accepted: false, reason: "the signature does not match" };
    const event = headers["x-github-event"] ?? null;
    // Sent when a webhook is made, to see whether somebody answers.
    if (event === "ping") return { accepted: true, answer: { status: 200, contentType: "text/plain", body: "pong" } };
    return { accepted: true, event, deliveryId: headers["x-github-delivery"] ?? null };
  },
  // Unless somebody chooses JSON, it is the one field of a form.
  eventsOf: (delivered) => [{ ...delivered, payload: recordAt(delivered.payload, "payload") ?? delivered.payload }],
  namesOf: (event, payload) => known([textAt(payload, "action")]).map((action) => `${event}.${action}`),
  placesOf: (payload) => known([textAt(payload, "repository", "full_name"), textAt(payload, "organization", "login")]),
  originOf: (payload) => (textAt(payload, "sender", "type") === "Bot" ? { by: "bot" } : undefined),
  // What a token does looks like what its person does.
  findOwnSender: async ({ http }) => textAt(await http.json({ path: "/user" }), "id"),
});
