import { isSameText } from "../../base/same-text.ts";
import { type Http, path } from "../../contract/http.ts";
import { known, listAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook, readWebhookBody } from "../../contract/webhook.ts";

const toleranceMs = 5 * 60_000;
const endpointsPath = "/v1/webhook_endpoints";

export const stripeWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret, now }) {
    const parts = (headers["stripe-signature"] ?? "")
      .split(",")
      .map((part) => part.trim().split("=", 2) as [string, string?]);
    const valuesOf = (name: string) =>
      parts.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
    const [timestamp = ""] = valuesOf("t");
    if (!/^\d{1,12}$/.test(timestamp)) return { accepted: false, reason: "the signature has no time" };
    if (Math.abs(now.getTime() - Number(timestamp) * 1000) > toleranceMs)
      return { accepted: false, reason: "the signature is too old or too new" };
    const expected = hmacHex("sha256", secret, `${timestamp}.`, body);
    // While a secret is being replaced there is one signature for each.
    if (!valuesOf("v1").some((signature) => isSameText(signature, expected)))
      return { accepted: false, reason: "the signature does not match" };
    const event = readWebhookBody({ body });
    if (textAt(event, "type") === "v2.core.event_destination.ping")
      return { accepted: true, answer: { status: 200, contentType: "text/plain", body: "pong" } };
    return { accepted: true, event: textAt(event, "type") ?? null, deliveryId: textAt(event, "id") ?? null };
  },
  registration: {
    place: null,
    async register({ http }, { url, events, keepSecret }) {
      const form = { url, "enabled_events[]": toEnabled(events) };
      const made = await http.json({ method: "POST", path: endpointsPath, form });
      await keepSecret(requireProof("Stripe", textAt(made, "secret"), "signing secret"));
    },
    // It keeps its secret, which Stripe tells only once.
    async changeEvents({ http }, { isAt, events }) {
      const [endpoint] = await findEndpoints(http, isAt);
      if (endpoint === undefined) return false;
      // Stripe turns an endpoint off that failed for days.
      await http.json({
        method: "POST",
        path: endpoint,
        form: { "enabled_events[]": toEnabled(events), disabled: "false" },
      });
      return true;
    },
    async remove({ http }, { isAt }) {
      for (const endpoint of await findEndpoints(http, isAt))
        await http.send({ method: "DELETE", path: endpoint, alsoAccept: [404] });
    },
  },
  // Of a connected account; the account's own events have none.
  placesOf: (event) => known([textAt(event, "account")]),
});

const toEnabled = (events: string[]): string[] =>
  events.length === 0 || events.some((name) => name.includes("*")) ? ["*"] : events;

/** Their paths. */
async function findEndpoints(http: Http, isAt: (url: string) => boolean): Promise<string[]> {
  const endpoints = listAt(await http.json({ path: endpointsPath, query: { limit: 100 } }), "data");
  return endpoints
    .filter((endpoint) => isAt(textAt(endpoint, "url") ?? ""))
    .map((endpoint) => endpointsPath + path`/${textAt(endpoint, "id") ?? ""}`);
}
