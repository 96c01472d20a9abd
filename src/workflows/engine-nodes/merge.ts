import { z } from "zod";
import { defineEngineNode, type Item } from "../engine-node.ts";
import { joinItems } from "./join-items.ts";

const ofKey = { shownWith: { mode: ["key"] } };

export const merge = defineEngineNode({
  id: "merge",
  title: "Merge",
  section: "logic",
  synonyms: ["join", "combine", "append", "union"],
  description: "Waits for all incoming branches and makes one list of their items.",
  per: "list",
  input: z
    .strictObject({
      mode: z
        .enum(["append", "position", "key"])
        .default("append")
        .describe(
          "append: all items one after the other. position: the first items of all branches become one, then the second ones. key: items with the same value in the key field become one, each with each.",
        ),
      key: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Field by which items belong together, in the mode key.")
        .meta(ofKey),
      join: z
        .enum(["outer", "left", "inner"])
        .default("outer")
        .describe(
          "Which items stay that find no match, in the mode key. outer: all of them. left: those of the first branch. inner: none. The run says how many there were.",
        )
        .meta(ofKey),
      compare: z
        .enum(["strict", "loose"])
        .default("strict")
        .describe(
          'When two values are the same, in the mode key. strict: 1 and "1" are not. loose: they are, because they read the same.',
        )
        .meta(ofKey),
    })
    .refine(({ mode, key }) => mode !== "key" || key !== undefined, {
      path: ["key"],
      message: "is required in the mode key",
    }),
  async run({ parameters: { mode, key = "", join, compare }, items, branches }) {
    if (mode === "append") return { outputs: { out: items } };
    if (mode === "position") return byPosition(branches.map((branch) => branch.items));
    const { items: joined, origins, ...told } = joinItems(branches, { key, join, compare });
    return { outputs: { out: joined }, origins: { out: origins }, ...told };
  },
});

function byPosition(branches: Item[][]) {
  const longest = branches.reduce((most, { length }) => Math.max(most, length), 0);
  const joined = Array.from(
    { length: longest },
    (_, index): Item => Object.fromEntries(branches.flatMap((items) => Object.entries(items[index] ?? {}))),
  );
  const offsets = branches.map((_, branch) => branches.slice(0, branch).reduce((sum, { length }) => sum + length, 0));
  const origins = joined.map((_, index) =>
    offsets.flatMap((offset, branch) => (index < (branches[branch]?.length ?? 0) ? [offset + index] : [])),
  );
  return { outputs: { out: joined }, origins: { out: origins } };
}
