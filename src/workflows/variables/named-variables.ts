/** Which variables a value names in its references: some of them by name, or perhaps any. */
export type NamedVariables = { names: string[]; isAny: boolean };

const reference = /\$vars(?![\p{L}\p{N}_$])(?:\.`?(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})(?![A-Za-z0-9_]))?/gu;

/** Rather too many: what only looks like a reference counts as well. */
export function namedVariables(value: unknown): NamedVariables {
  const text = JSON.stringify(value) ?? "";
  if (!text.includes("$vars")) return none;
  const found = [...text.matchAll(reference)].map(({ groups }) => groups?.name);
  const names = found.filter((name) => name !== undefined);
  return { names: [...new Set(names)].sort(), isAny: names.length < found.length };
}

const none: NamedVariables = { names: [], isAny: false };

export const namesVariables = ({ names, isAny }: NamedVariables): boolean => isAny || names.length > 0;
