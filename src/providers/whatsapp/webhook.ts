import { isSameText } from "../../base/same-text.ts";
import { at, known, listAt, recordAt, textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook, readWebhookBody, type WebhookRequest, type WebhookVerdict } from "../../contract/webhook.ts";

export const whatsappWebhook = defineWebhook({
  secretField: "appSecret",
  verify(request, { secret, credential }) {
    if (request.method === "GET") return answerSubscriptionCheck(request, credential?.verifyToken);
    const expected = `sha256=${hmacHex("sha256", secret, request.body)}`;
    if (!isSameText(request.headers["x-hub-signature-256"] ?? "", expected))
      return { accepted: false, reason: "the signature does not match" };
    const event = textAt(readWebhookBody(request), "entry", 0, "changes", 0, "field") ?? null;
    // One delivery carries many messages and has no id; its signature is the same only when all of it is.
    return { accepted: true, event, deliveryId: expected };
  },
  eventsOf({ deliveryId, ...delivered }) {
    const events = splitIntoEvents(delivered.payload);
    if (events.length === 0) return [{ ...delivered, deliveryId }];
    return events.map(({ id, ...event }, index) => ({ ...event, deliveryId: id ?? `${deliveryId} ${index}` }));
  },
  namesOf: (event, payload) =>
    known([textAt(changeOf(payload), "statuses", 0, "status"), textAt(changeOf(payload), "messages", 0, "type")]).map(
      (kind) => `${event}.${kind}`,
    ),
  placesOf: (payload) => {
    const number = at(changeOf(payload), "metadata");
    return known([textAt(number, "phone_number_id"), textAt(number, "display_phone_number")]);
  },
  neverOfPeople: ["statuses", "message_echoes"],
  originOf(payload) {
    const value = changeOf(payload);
    if (at(value, "message_echoes", 0) !== undefined) return { by: "own" };
    const receipt = at(value, "statuses", 0);
    return receipt === undefined ? undefined : { by: "receipt", to: textAt(receipt, "recipient_id") ?? "" };
  },
});

/** Of a delivery that has one event. */
const changeOf = (payload: unknown): unknown => at(payload, "entry", 0, "changes", 0, "value");

type Split = { event: string | null; id: string | undefined; payload: unknown };

/** A delivery carries whatever came in the meantime. Each message and each status becomes a delivery of its own, as if it had come alone. */
function splitIntoEvents(payload: unknown): Split[] {
  return listAt(payload, "entry").flatMap((entry) =>
    listAt(entry, "changes").flatMap((change): Split[] => {
      const wrap = (value: unknown) => ({
        ...recordAt(payload),
        entry: [{ ...recordAt(entry), changes: [{ ...recordAt(change), value }] }],
      });
      const value = recordAt(change, "value") ?? {};
      const parts = lists.flatMap((list) => listAt(value, list).map((one) => ({ list, one })));
      if (parts.length === 0)
        return [{ event: textAt(change, "field") ?? null, id: undefined, payload: wrap(at(change, "value")) }];
      return parts.map(({ list, one }) => ({
        event: list,
        id: idOf(list, one),
        payload: wrap(withOnly(value, list, one)),
      }));
    }),
  );
}

const lists = ["messages", "statuses", "message_echoes"] as const;

/** A message has several statuses one after the other. */
const idOf = (list: string, one: unknown): string | undefined =>
  textAt(one, "id") && [textAt(one, "id"), ...(list === "statuses" ? [textAt(one, "status")] : [])].join(" ");

function withOnly({ contacts, ...value }: Record<string, unknown>, ofList: string, one: unknown): unknown {
  const others = Object.fromEntries(Object.entries(value).filter(([name]) => !lists.some((list) => list === name)));
  const person = textAt(one, "from") ?? textAt(one, "recipient_id");
  const named = listAt({ contacts }, "contacts");
  const own = named.filter((contact) => textAt(contact, "wa_id") === person);
  // Numbers are not always written alike; where there is one contact, it is the one.
  const kept = named.length === 1 ? named : own;
  return { ...others, ...(kept.length > 0 ? { contacts: kept } : {}), [ofList]: [one] };
}

function answerSubscriptionCheck({ query }: WebhookRequest, verifyToken: unknown): WebhookVerdict {
  const isAsked = query["hub.mode"] === "subscribe" && typeof verifyToken === "string";
  if (!isAsked || !isSameText(query["hub.verify_token"] ?? "", verifyToken))
    return { accepted: false, reason: "the verify token does not match" };
  return { accepted: true, answer: { status: 200, contentType: "text/plain", body: query["hub.challenge"] ?? "" } };
}
