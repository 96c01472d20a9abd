import { z } from "zod";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineEngineNode } from "../engine-node.ts";
import { isFreeName, notFree } from "../wire.ts";
import { condition } from "./expression.ts";

const otherwise = "otherwise";
const maxRules = 50;
const longestWay = 64;

const rule = z.strictObject({
  way: z.string().min(1).max(longestWay).refine(isFreeName, notFree).describe("Name of the way out, unique in this node."),
  condition: condition("JSONata that gives true or false for the incoming item, $input."),
});

export const switchNode = defineEngineNode({
  id: "switch",
  title: "Switch",
  description: "Sends each item the way of the first rule that holds, or otherwise. Items leave unchanged.",
  per: "item",
  input: z.strictObject({ rules: z.array(rule).min(1).max(maxRules).describe("Tried from the first to the last.") }),
  ways: ({ rules }) => [...(Array.isArray(rules) ? rules.slice(0, maxRules) : []).flatMap(wayOf), otherwise],
  async run({ parameters: { rules }, items }) {
    const names = [otherwise, ...rules.map(({ way }) => way)];
    const twice = rules.findIndex(({ way }, index) => names.indexOf(way) !== index + 1);
    if (twice !== -1) throw refuseInput(`/rules/${twice}/way`, "must be unique and not otherwise");
    return { outputs: { [rules.find((entry) => entry.condition)?.way ?? otherwise]: items } };
  },
});

function wayOf(entry: unknown): string[] {
  const way = typeof entry === "object" && entry !== null && "way" in entry ? entry.way : undefined;
  return typeof way === "string" && way.length <= longestWay ? [way] : [];
}
