import type { VariableValue } from "../../../../src/workflows/variable-wire.ts";

export type ValueKind = "text" | "number" | "boolean";

export const kindWords: Record<ValueKind, string> = { text: "Text", number: "Number", boolean: "Yes or no" };

export function kindOfValue(value: VariableValue): ValueKind {
  if (typeof value === "string") return "text";
  return typeof value === "number" ? "number" : "boolean";
}

/** What was typed as a value of its kind; a number that is none stays not a number, which the server refuses. */
export function readValue(kind: ValueKind, text: string): VariableValue {
  if (kind === "text") return text;
  return kind === "number" ? Number(text) : text === "true";
}
