import { z } from "zod";
import { defineEngineNode, type Item } from "../engine-node.ts";

export const merge = defineEngineNode({
  id: "merge",
  title: "Merge",
  description: "Waits for all incoming branches and makes one list of their items.",
  per: "list",
  input: z
    .strictObject({
      mode: z
        .enum(["append", "position", "key"])
        .default("append")
        .describe(
          "append: all items one after the other. position: the first items of all branches become one, then the second ones. key: items with the same value in the key field become one.",
        ),
      key: z.string().min(1).max(200).optional().describe("Field by which items belong together, in the mode key."),
    })
    .refine(({ mode, key }) => mode !== "key" || key !== undefined, { path: ["key"], message: "is required in the mode key" }),
  async run({ parameters: { mode, key }, items, itemsBySource }) {
    if (mode === "append") return { outputs: { out: items } };
    const branches = [...itemsBySource.values()];
    if (mode === "position") return { outputs: { out: byPosition(branches) } };
    return { outputs: { out: byKey(branches.flat(), key ?? "") } };
  },
});

function byPosition(branches: Item[][]): Item[] {
  const longest = Math.max(0, ...branches.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => Object.assign({}, ...branches.map((items) => items[index])) as Item);
}

/** In the order in which keys appear first. Later branches win over earlier ones; items without the field stay as they are. */
function byKey(items: Item[], key: string): Item[] {
  const merged = new Map<unknown, Item>();
  for (const item of items) {
    const value = Object.hasOwn(item, key) ? JSON.stringify(item[key]) : undefined;
    // The same item may come in on two branches.
    const place = value ?? Symbol("without the field");
    merged.set(place, { ...merged.get(place), ...item });
  }
  return [...merged.values()];
}
