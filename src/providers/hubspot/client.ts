import { Refusal } from "../../base/refusal.ts";
import { recordAt, textAt } from "../../contract/read.ts";

/** HubSpot takes the values of properties and filters only as texts. */
export function toText(value: unknown, pointer: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Refusal("validation_failed", "HubSpot takes only texts, numbers and truth values.", {
    errors: [{ pointer, detail: "must be a text, a number or a truth value" }],
  });
}

export const readContact = (contact: unknown) => ({
  id: textAt(contact, "id"),
  properties: recordAt(contact, "properties"),
  createdAt: textAt(contact, "createdAt"),
  updatedAt: textAt(contact, "updatedAt"),
});
