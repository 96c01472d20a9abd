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

/** What has more is kept as it came: to take it apart, which nobody can interrupt, would hold up everybody else. */
const mostFields = 10_000;
const mostValuesInFields = 50_000;

function readForm(body: Buffer): Record<string, unknown> {
  if (countOf(body, "&") >= mostFields) return asText(body);
  const form = new URLSearchParams(body.toString("utf8").replaceAll("%00", "%EF%BF%BD"));
  return toFields([...form]);
}

/** The fields of a form by name; a name that is there several times has a list. */
export function toFields(fields: [string, unknown][]): Record<string, unknown> {
  const byName = Map.groupBy(
    fields.filter(([name]) => name !== "__proto__"),
    ([name]) => name,
  );
  const readField = createReadField();
  return Object.fromEntries(
    [...byName].map(([name, [first, ...others]]) => [
      name,
      others.length > 0 ? [first, ...others].map((one) => one?.[1]) : readField(first?.[1]),
    ]),
  );
}

/** Some put JSON into a field of a form. */
function createReadField(): (value: unknown) => unknown {
  let room = mostValuesInFields;
  return (value) => {
    if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
    const bytes = Buffer.from(value);
    room -= countOf(bytes, ",");
    return (room < 0 ? undefined : readValue(bytes)) ?? value;
  };
}

function countOf(bytes: Buffer, character: string): number {
  const code = character.charCodeAt(0);
  let count = 0;
  for (let place = bytes.indexOf(code); place !== -1; place = bytes.indexOf(code, place + 1)) count += 1;
  return count;
}

function readValue(bytes: Buffer): unknown {
  try {
    return readJson(bytes, { numbers: "inexact as text" });
  } catch {
    return undefined;
  }
}

const asText = (body: Buffer) => ({ text: body.toString("utf8").replaceAll("\0", "\ufffd") });
