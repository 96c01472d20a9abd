/** A copy with another value at a place, which is there. */
export function replaceAt(value: unknown, [key, ...below]: string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => (String(index) === key ? replaceAt(entry, below, other) : entry));
  const object = value as Record<string, unknown>;
  return { ...object, [key]: replaceAt(object[key], below, other) };
}
