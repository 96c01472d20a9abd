import type { NodeKind } from "../../catalog.ts";

/** What a new node has from the beginning, where that is better than what a call has that says nothing. */
export function startParameters({ inputSchema }: Pick<NodeKind, "inputSchema">): {
  parameters?: Record<string, unknown>;
} {
  const fields = Object.entries((inputSchema.properties ?? {}) as Record<string, { startsAs?: unknown }>);
  const given = fields.flatMap(([name, { startsAs }]) => (startsAs === undefined ? [] : [[name, startsAs] as const]));
  return given.length === 0 ? {} : { parameters: Object.fromEntries(given) };
}
