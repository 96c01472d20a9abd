import { Refusal } from "../../../base/refusal.ts";
import { containsReference } from "../../parse-references.ts";
import { readScript } from "./javascript.ts";
import type { Names } from "./names.ts";
import { writeJsonata } from "./write-jsonata.ts";

/** `fault` where the text is kept as it stood, because it cannot be read. */
export type Translated = { text: string; fault?: string };

/** n8n marks a text with expressions in it by an equals sign at its start. */
export const isExpression = (text: string): boolean => text.startsWith("=");

/** A text of a parameter: what stands in braces is translated, everything else stays text. */
export function translateText(text: string, names: Names): Translated {
  if (!isExpression(text)) return { text: asText(text) };
  const read = readBraces(text.slice(1), names);
  if (typeof read === "string") return { text: asText(text.slice(1)), fault: read };
  const parts = read.map((part) => (part.isCode ? `{{ ${part.text} }}` : asText(part.text)));
  return { text: parts.join("") };
}

/** The same as one JSONata expression, for fields that are expressions as they stand. */
export function translateToJsonata(value: unknown, names: Names): Translated {
  if (typeof value !== "string") return { text: JSON.stringify(value ?? null) };
  // Some are written for each of many rows, texts as well.
  names.count(value);
  if (!isExpression(value)) return { text: JSON.stringify(value) };
  const read = readBraces(value.slice(1), names);
  if (typeof read === "string") return { text: "", fault: read };
  return { text: read.map(({ isCode, text }) => (isCode ? text : JSON.stringify(text))).join(" & ") || '""' };
}

type Part = { isCode: boolean; text: string };

/** Its parts in their order, or why they cannot be read. */
export function readBraces(text: string, names: Names): Part[] | string {
  const parts: Part[] = [];
  let at = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", open);
    if (end === -1) return "it is not closed with }}";
    const script = text.slice(open + 2, end);
    names.count(script);
    try {
      parts.push({ isCode: false, text: text.slice(at, open) }, { isCode: true, text: write(script, names) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.message;
    }
    at = end + 2;
  }
  return [...parts, { isCode: false, text: text.slice(at) }].filter((part) => part.text !== "");
}

const write = (script: string, names: Names): string => writeJsonata(readScript(script.trim()), names);

/** A text that would be taken for a reference here is written so that it stays a text. */
function asText(text: string): string {
  if (!containsReference(text)) return text;
  return text.includes("{{") ? text.replaceAll("{{", '{{ "{{" }}') : `{{ ${JSON.stringify(text)} }}`;
}
