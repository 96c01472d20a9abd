type Caps = { text: number; list: number };

/** How many characters of JSON a value takes; more than `most` is only said to be more, without looking at the rest. */
export const sizeOf = (value: unknown, most: number): number =>
  measure(value, most, { text: Infinity, list: Infinity });

/** The same where a text or a list counts for no more than its cap, however long it is. */
export function measure(value: unknown, most: number, caps: Caps): number {
  if (typeof value === "string")
    return Math.min(caps.text, value.length + 2 > Math.min(most, caps.text) ? value.length + 2 : lengthOf(value));
  if (typeof value !== "object" || value === null) return lengthOf(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return lengthOf(value);
  if (Array.isArray(value)) return Math.min(caps.list, measureList(value, Math.min(most, caps.list), caps));
  return measureFields(value as Record<string, unknown>, most, caps);
}

function lengthOf(value: unknown): number {
  // Writing a text out takes several times as long as seeing that nothing in it is escaped.
  if (typeof value === "string" && !escaped.test(value)) return value.length + 2;
  return JSON.stringify(value)?.length ?? 0;
}

const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function measureList(list: unknown[], most: number, caps: Caps): number {
  let size = 2 + Math.max(0, list.length - 1);
  for (const entry of list) {
    if (size > most) break;
    size += measure(entry ?? null, most - size, caps);
  }
  return size;
}

function measureFields(record: Record<string, unknown>, most: number, caps: Caps): number {
  let size = 1;
  for (const key of Object.keys(record)) {
    if (size > most) break;
    if (record[key] !== undefined) size += lengthOf(key) + 2 + measure(record[key], most - size, caps);
  }
  return Math.max(2, size);
}
