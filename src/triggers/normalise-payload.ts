import { readJson } from "../base/json.ts";
import type { WebhookRequest } from "../contract/webhook.ts";

/** What was delivered, as a value: JSON, a form, or `{ text }` for everything else. Never fails: what was signed is not lost. */
export function normalisePayload({ method = "POST", headers, body }: Delivered): unknown {
  // What comes without a body on purpose has its values in the query.
  if (body.length === 0 && method !== "POST") return {};
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return readForm(body);
  return readValue(body) ?? asText(body);
}

type Delivered = Pick<WebhookRequest, "headers" | "body"> & Partial<Pick<WebhookRequest, "method">>;

function readForm(body: Buffer): Record<string, unknown> {
  const form = new URLSearchParams(body.toString("utf8").replaceAll("%00", "%EF%BF%BD"));
  return toFields([...form]);
}

/** The fields of a form by name; a name that is there several times has a list. */
export function toFields(fields: [string, unknown][]): Record<string, unknown> {
  const byName = new Map<string, unknown[]>();
  for (const [name, value] of fields.filter(([one]) => one !== "__proto__")) byName.set(name, [...(byName.get(name) ?? []), value]);
  return Object.fromEntries([...byName].map(([name, values]) => [name, values.length > 1 ? values : readField(values[0])]));
}

/** Some put JSON into a field of a form. */
const readField = (value: unknown): unknown =>
  (typeof value === "string" && /^[[{]/.test(value) ? readValue(Buffer.from(value)) : undefined) ?? value;

function readValue(bytes: Buffer): unknown {
  try {
    return readJson(bytes, { numbers: "inexact as text" });
  } catch {
    return undefined;
  }
}

const asText = (body: Buffer) => ({ text: body.toString("utf8").replaceAll("\0", "\ufffd") });
