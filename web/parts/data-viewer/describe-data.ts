/** Whether a value is shown best as a table: an object, or a list with at least one object in it. */
export function isTable(value: unknown): boolean {
  if (!Array.isArray(value)) return isObject(value) && Object.keys(value).length > 0;
  return value.slice(0, 100).some(isObject);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isNested(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === "object" && value !== null;
}

const rowsLookedAt = 200;

/** The names of the fields of the first rows, in the order in which they appear. */
export function columnsOf(rows: readonly unknown[]): string[] {
  return [...new Set(rows.slice(0, rowsLookedAt).flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
}

/** JSON on one line, of about `limit` characters at most however large the value is. */
export function writeCompact(value: unknown, limit: number): string {
  const text = writeUpTo(value, limit);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function writeUpTo(value: unknown, limit: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, limit + 1));
  if (!isNested(value)) return String(value);
  const isList = Array.isArray(value);
  let inside = "";
  for (const key of isList ? value.keys() : Object.keys(value)) {
    if (inside.length > limit) break;
    const name = isList ? "" : `${key}: `;
    inside +=
      (inside && ", ") + name + writeUpTo((value as Record<string | number, unknown>)[key], limit - inside.length);
  }
  return isList ? `[${inside}]` : `{${inside}}`;
}

/** How a value is called in one or two words: "text", "3 entries". */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 1 ? "1 entry" : `${value.length} entries`;
  if (isObject(value)) {
    const { length } = Object.keys(value);
    return length === 1 ? "1 field" : `${length} fields`;
  }
  return typeName(value);
}

export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "true or false";
  return typeof value;
}
