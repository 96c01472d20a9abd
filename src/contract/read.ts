// Providers add, drop and rename fields without asking. What a tool reads out of an answer is therefore always "this, if it is there".

/** The value at a path of keys and positions, or undefined as soon as something is missing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

export const textAt = (value: unknown, ...path: (string | number)[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === "string"
    ? found
    : typeof found === "number" || typeof found === "bigint"
      ? String(found)
      : undefined;
};

export const numberAt = (value: unknown, ...path: (string | number)[]): number | undefined => {
  const found = at(value, ...path);
  const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

export const integerAt = (value: unknown, ...path: (string | number)[]): number | undefined => {
  const number = numberAt(value, ...path);
  return Number.isSafeInteger(number) ? number : undefined;
};

export const booleanAt = (value: unknown, ...path: (string | number)[]): boolean | undefined => {
  const found = at(value, ...path);
  return typeof found === "boolean" ? found : undefined;
};

export const listAt = (value: unknown, ...path: (string | number)[]): unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

export const textsAt = (value: unknown, ...path: (string | number)[]): string[] =>
  listAt(value, ...path).filter((entry) => typeof entry === "string");

export const recordAt = (value: unknown, ...path: (string | number)[]): Record<string, unknown> | undefined => {
  const found = at(value, ...path);
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : undefined;
};

/** Those of several values that are there. */
export const known = (values: (string | undefined)[]): string[] =>
  values.filter((value) => value !== undefined && value !== "") as string[];
