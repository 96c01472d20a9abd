import { type ConditionRows, describeOperator, type Group, type Row } from "./operators.ts";

const path =
  /^\$(?:nodes\.(?:[A-Za-z0-9_-]+|`[^`]+`)|trigger|input|node|vars)(?:\.(?:[\p{L}_][\p{L}\p{N}_-]*|`[^`]+`)|\[-?\d+\])*$/u;
const hyphenated = /\.([\p{L}_][\p{L}\p{N}_]*-[\p{L}\p{N}_-]*)/gu;

/** The JSONata that is true where the rows are; undefined where a value has no such form, because it mixes text and references. */
export function writeExpression({ match, rows, groups = [] }: ConditionRows): string | undefined {
  const inside = groups.filter((group) => group.rows.length > 0).map(writeGroup);
  const parts = [...rows.map(writeRow), ...inside];
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return parts.join(wordOf(match));
}

const wordOf = (match: Group["match"]): string => (match === "any" ? " or " : " and ");

function writeGroup({ match, rows }: Group): string | undefined {
  const parts = rows.map(writeRow);
  if (parts.includes(undefined)) return undefined;
  return parts.length === 1 ? parts[0] : `(${parts.join(wordOf(match))})`;
}

export function writeRow({ field, operator, value }: Row): string | undefined {
  const { wants, written, referred = written } = describeOperator(operator);
  const subject = writeField(field);
  if (wants === "nothing") return insert(written, subject, "");
  const text = writeValue(value);
  if (subject === "" || text === undefined) return undefined;
  return insert(isKnown(value) ? written : referred, subject, text);
}

/** A function, because a text that replaces must not be looked at for `$&` and the like. */
const insert = (template: string, field: string, value: string): string =>
  template.replaceAll(/\b[XV]\b/g, (name) => (name === "X" ? field : value));

export const isPath = (text: string): boolean => path.test(text);

/** In an expression a hyphen subtracts, so only a path without one stands alone. */
export function writeField(field: string): string {
  const text = withoutBraces(field.trim()) ?? field.trim();
  return text === "" || (isPath(text) && quoteHyphens(text) === text) ? text : `(${text})`;
}

/** Whether nothing in a value is a reference. */
export function isKnown(value: unknown): boolean {
  if (typeof value === "string") return !isPath(value) && !value.includes("{{");
  return typeof value !== "object" || value === null || Object.values(value).every(isKnown);
}

export function writeValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (isKnown(value)) return JSON.stringify(value);
  if (typeof value === "string") return writeReference(value);
  if (!Array.isArray(value)) return undefined;
  const entries = value.map(writeValue);
  return entries.includes(undefined) ? undefined : `[${entries.join(", ")}]`;
}

function writeReference(text: string): string | undefined {
  if (isPath(text)) return quoteHyphens(text);
  const inside = withoutBraces(text);
  return inside === undefined ? undefined : writeField(inside);
}

/** A whole text that is a path has hyphens as part of its names. */
const quoteHyphens = (text: string): string =>
  text.replaceAll(/`[^`]*`|\.[^.[`]+/g, (step, at: number) =>
    step.startsWith("`") || at === "$nodes".length ? step : step.replace(hyphenated, ".`$1`"),
  );

function withoutBraces(text: string): string | undefined {
  const [, inside] = /^\{\{((?:(?!\{\{|\}\}).)+)\}\}$/s.exec(text) ?? [];
  return inside?.trim();
}
