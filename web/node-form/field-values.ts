import { describeShape, type FieldShape, isSchema, type Schema } from "./field-shape.ts";

// How what is typed becomes a value and back. Undefined stands for an empty field, which is left out of the value.

/** The object with a field set, or without it; keys keep their order. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...rest } = object;
  return rest;
}

/** A text that is no number is kept as it is, so that the server says what is wrong with it. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed.replace(",", "."));
  return Number.isFinite(number) ? number : text;
}

export function writeText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function readText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** Without a value where nothing is written; `fault` where it cannot be read. */
export function readJson(text: string): { value?: unknown; fault?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: "is not valid JSON yet, so the last value stays" };
  }
}

/** Entries of a list that fit are on one line each, as rows of a table are. */
export function writeJson(value: unknown): string {
  if (value === undefined) return "";
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value, null, 2);
  return `[\n${value.map((entry) => `  ${writeEntry(entry)}`).join(",\n")}\n]`;
}

function writeEntry(entry: unknown): string {
  const short = JSON.stringify(entry) ?? "null";
  return short.length <= 60 ? short : JSON.stringify(entry, null, 2).replaceAll("\n", "\n  ");
}

export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

export const freeKinds = ["text", "number", "boolean", "json"] as const;
export type FreeKind = (typeof freeKinds)[number];

/** As which kind a value of any type is edited. */
export function freeKindOf(value: unknown): FreeKind {
  if (value === undefined || typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** A value as another kind, where it can be read as that; otherwise the field begins empty. */
export function convertFree(value: unknown, kind: FreeKind): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  const text = writeText(value);
  if (kind === "text") return text;
  const read = kind === "number" ? readNumber(text) : readJson(text).value;
  return kind === "json" || typeof read === kind ? read : undefined;
}

export type RecordRow = { key: string; value: unknown };

export function rowsOf(value: unknown): RecordRow[] {
  return isSchema(value) ? Object.entries(value).map(([key, entry]) => ({ key, value: entry })) : [];
}

/** Rows without a name count as not yet written; a record without rows is an empty field. */
export function readRows(rows: readonly RecordRow[]): Record<string, unknown> | undefined {
  const named = rows.filter(({ key }) => key !== "");
  return named.length === 0 ? undefined : Object.fromEntries(named.map(({ key, value }) => [key, value ?? ""]));
}

export function repeatedKeys(rows: readonly RecordRow[]): string[] {
  const keys = rows.map(({ key }) => key).filter((key) => key !== "");
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

/** What a new row of a list begins with. */
export function emptyEntry(schema: Schema): unknown {
  return emptyByKind[describeShape(schema).kind];
}

const emptyByKind: Record<FieldShape["kind"], unknown> = {
  text: "",
  expression: "",
  condition: "",
  free: "",
  number: null,
  boolean: null,
  choice: null,
  toggle: null,
  duration: null,
  list: [],
  object: {},
  record: {},
  union: null,
  json: null,
};

/** Whether a field that is no text holds a reference or an expression instead of a value. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && (value.includes("{{") || /^\$(trigger|nodes|input|node|vars)\b/.test(value));
}

/** A value as an expression that gives it, so that nothing is lost when a field becomes one. */
export function toExpression(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : `{{ ${JSON.stringify(value)} }}`;
}

/** The value of an expression that is one as it stands; undefined for those that only a run can answer. */
export function fromExpression(text: string): unknown {
  const [, inside = ""] = /^\{\{(.*)\}\}$/s.exec(text.trim()) ?? [];
  return readJson(inside).value;
}

export function escapeKey(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
