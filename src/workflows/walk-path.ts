import type { PlainPath } from "./parse-references.ts";

/** What `$trigger`, `$nodes`, `$input`, `$node` and `$vars` stand for. */
export type Seen = Record<PlainPath["root"], unknown>;

/**
 * What a plain path leads to, or how far it leads. Undefined where JSONata has rules of its own: names over a list, positions of no list.
 * Own properties only, so nothing but data is ever reached.
 */
export function walkPath(
  { root, steps }: PlainPath,
  seen: Seen,
): { value: unknown } | { missing: PlainPath } | undefined {
  let value = seen[root];
  for (const [index, step] of steps.entries()) {
    if (value === undefined) return { missing: { root, steps: steps.slice(0, index) } };
    if (Array.isArray(value) !== (typeof step === "number")) return undefined;
    value = typeof step === "number" ? (value as unknown[]).at(step) : ownProperty(value, step);
  }
  return value === undefined ? { missing: { root, steps } } : { value };
}

function ownProperty(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || name === "__proto__" || !Object.hasOwn(value, name))
    return undefined;
  return (value as Record<string, unknown>)[name];
}
