import { nameHost } from "../../base/name-host.ts";
import { Refusal } from "../../base/refusal.ts";
import { isSameText } from "../../base/same-text.ts";
import type { Http } from "../../contract/http.ts";
import { at, known, recordAt, textAt } from "../../contract/read.ts";
import { defineWebhook, type RegistrationRequest, readWebhookBody } from "../../contract/webhook.ts";

export const telegramWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const token = headers["x-telegram-bot-api-secret-token"];
    if (token === undefined || !isSameText(token, secret))
      return { accepted: false, reason: "the secret token does not match" };
    const update = readWebhookBody({ body });
    return { accepted: true, event: kindOf(update) ?? null, deliveryId: textAt(update, "update_id") ?? null };
  },
  registration: {
    place: null,
    async register({ http }, { url, urlStart, secret, events }) {
      const present = await presentUrl(http);
      // A bot has one address: to set another would silently end what is delivered to the first.
      if (present !== "" && !present.startsWith(urlStart))
        throw new Refusal(
          "conflict",
          `This bot delivers to another address at ${nameHost(present)}. Remove that webhook first.`,
        );
      await setWebhook(http, { url, secret, events });
    },
    async changeEvents({ http }, { isAt, secret, events }) {
      const url = await presentUrl(http);
      if (!isAt(url)) return false;
      await setWebhook(http, { url, secret, events });
      return true;
    },
    async remove({ http }, { isAt }) {
      if (isAt(await presentUrl(http))) await http.json({ method: "POST", path: "/deleteWebhook", json: {} });
    },
  },
  placesOf(update) {
    const content = at(update, kindOf(update) ?? "");
    const chat = at(content, "chat") ?? at(content, "message", "chat");
    return known([
      textAt(chat, "id"),
      textAt(chat, "username"),
      ...known([textAt(chat, "username")]).map((name) => `@${name}`),
    ]);
  },
  originOf(update, { botToken }) {
    const content = at(update, kindOf(update) ?? "");
    const from = at(content, "from");
    const [ownId] = String(botToken).split(":");
    if (textAt(from, "id") === ownId) return { by: "own" };
    // Who writes as a group or a channel comes with a made-up bot as sender.
    return at(from, "is_bot") === true && at(content, "sender_chat") === undefined ? { by: "bot" } : undefined;
  },
});

const kindOf = (update: unknown): string | undefined =>
  Object.keys(recordAt(update) ?? {}).find((name) => name !== "update_id");

/** Takes the place of what was set before; what waits to be delivered stays. */
async function setWebhook(
  http: Http,
  { url, secret, events }: Pick<RegistrationRequest, "url" | "secret" | "events">,
): Promise<void> {
  const allowed = events.some((name) => name.includes("*")) ? [] : events;
  await http.json({
    method: "POST",
    path: "/setWebhook",
    json: { url, secret_token: secret, allowed_updates: allowed },
  });
}

const presentUrl = async (http: Http): Promise<string> =>
  textAt(await http.json({ path: "/getWebhookInfo" }), "result", "url") ?? "";
