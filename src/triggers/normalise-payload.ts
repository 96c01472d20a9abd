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
  const names = [...new Set(form.keys())].filter((name) => name !== "__proto__");
  return Object.fromEntries(names.map((name) => [name, fieldValue(form.getAll(name))]));
}

/** Some put JSON into a field of a form. */
function fieldValue([first = "", ...others]: string[]): unknown {
  if (others.length > 0) return [first, ...others];
  return (/^[[{]/.test(first) ? readValue(Buffer.from(first)) : undefined) ?? first;
}

function readValue(bytes: Buffer): unknown {
  try {
    return readJson(bytes, { numbers: "inexact as text" });
  } catch {
    return undefined;
  }
}

const asText = (body: Buffer) => ({ text: body.toString("utf8").replaceAll("\0", "\ufffd") });
