import type { ServerTool } from "../../api/servers.ts";

export type Effect = "reads" | "changes" | "deletes";

/** What calling a tool can do, as it declares. */
export function findEffect({ annotations: { readOnlyHint, destructiveHint } }: ServerTool): Effect {
  if (readOnlyHint) return "reads";
  return destructiveHint ? "deletes" : "changes";
}

export const effectWords: Record<Effect, string> = {
  reads: "Reads only",
  changes: "Changes things",
  deletes: "Can delete or overwrite",
};

/** What the tools of a server can do, all in all. */
export function describeEffects(tools: ServerTool[]): string {
  const found = new Set(tools.map(findEffect));
  const effects = (["reads", "changes", "deletes"] as const).filter((effect) => found.has(effect));
  const [first] = effects;
  if (effects.length === 1 && first) return effectWords[first];
  const text = verbs.format(effects.map((effect) => shortWords[effect]));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const verbs = new Intl.ListFormat("en", { type: "conjunction" });
const shortWords: Record<Effect, string> = { reads: "reads", changes: "changes", deletes: "can delete" };
