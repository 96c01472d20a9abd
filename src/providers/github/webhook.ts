import { isSameText } from "../../base/same-text.ts";
import { type Http, path } from "../../contract/http.ts";
import { known, recordAt, textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook, type RegistrationRequest } from "../../contract/webhook.ts";

const hooksPerPage = 100;

export const githubWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const expected = `sha256=${hmacHex("sha256", secret, body)}`;
    if (!isSameText(headers["x-hub-signature-256"] ?? "", expected))
      return { accepted: false, reason: "the signature does not match" };
    const event = headers["x-github-event"] ?? null;
    // Sent when a webhook is made, to see whether somebody answers.
    if (event === "ping") return { accepted: true, answer: { status: 200, contentType: "text/plain", body: "pong" } };
    return { accepted: true, event, deliveryId: headers["x-github-delivery"] ?? null };
  },
  registration: {
    place: { pattern: /^[\w.-]+\/[\w.-]+$/, detail: "must be one repository, as owner/name" },
    async register({ http }, { place, ...request }) {
      await http.json({ method: "POST", path: hooksOf(place), json: { name: "web", ...toHook(request) } });
    },
    async changeEvents({ http }, { isAt, place, secret, events }) {
      const hook = (await listHooks(http, place)).find((one) => isAt(urlOf(one)));
      if (hook === undefined) return false;
      // With all of it: GitHub forgets a secret that it is not told again.
      const json = toHook({ url: urlOf(hook), secret, events });
      await http.json({ method: "PATCH", path: pathOf(place, hook), json, repeatable: true });
      return true;
    },
    async remove({ http }, { isAt, place }) {
      for (const hook of await listHooks(http, place))
        if (isAt(urlOf(hook))) await http.send({ method: "DELETE", path: pathOf(place, hook), alsoAccept: [404] });
    },
  },
  // Unless somebody chooses JSON, it is the one field of a form.
  eventsOf: (delivered) => [{ ...delivered, payload: recordAt(delivered.payload, "payload") ?? delivered.payload }],
  namesOf: (event, payload) => known([textAt(payload, "action")]).map((action) => `${event}.${action}`),
  placesOf: (payload) => known([textAt(payload, "repository", "full_name"), textAt(payload, "organization", "login")]),
  originOf: (payload) => (textAt(payload, "sender", "type") === "Bot" ? { by: "bot" } : undefined),
  // What a token does looks like what its person does.
  findOwnSender: async ({ http }) => textAt(await http.json({ path: "/user" }), "id"),
});

function toHook({ url, secret, events }: Pick<RegistrationRequest, "url" | "secret" | "events">) {
  // GitHub knows events only without what happened to them, and * for all of them.
  const names = [...new Set(events.map((name) => name.split(".", 1)[0] ?? name))];
  const all = names.length === 0 || names.some((name) => name.includes("*"));
  return {
    active: true,
    events: all ? ["*"] : names,
    config: { url, content_type: "json", secret, insecure_ssl: "0" },
  };
}

const urlOf = (hook: unknown): string => textAt(hook, "config", "url") ?? "";
const pathOf = (place: string, hook: unknown): string => hooksOf(place) + path`/${textAt(hook, "id") ?? ""}`;

function hooksOf(place: string): string {
  const [owner = "", repository = ""] = place.split("/");
  return path`/repos/${owner}/${repository}/hooks`;
}

async function listHooks(http: Http, place: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let page = 1; ; page++) {
    const answer = await http.json({ path: hooksOf(place), query: { per_page: hooksPerPage, page } });
    const hooks = Array.isArray(answer) ? (answer as unknown[]) : [];
    found.push(...hooks);
    if (hooks.length < hooksPerPage) return found;
  }
}
