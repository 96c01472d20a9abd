import { z } from "zod";
import type { FieldFault } from "../../base/refusal.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { condition, findConditionFaults } from "../conditions/condition-field.ts";
import { defineEngineNode } from "../engine-node.ts";
import { isFreeName, notFree } from "../wire.ts";

const otherwise = "otherwise";
const maxRules = 50;
const longestWay = 64;

const rule = z.strictObject({
  way: z
    .string()
    .min(1)
    .max(longestWay)
    .refine(isFreeName, notFree)
    .describe("Name of the way out, unique in this node."),
  condition: condition(
    "Rows that compare fields, or JSONata that gives true or false for the incoming item, e.g. $input.amount > 100.",
  ),
});

export const switchNode = defineEngineNode({
  id: "switch",
  title: "Switch",
  section: "logic",
  synonyms: ["case", "route", "router", "if"],
  description: "Sends each item the way of the first rule that holds, or otherwise. Items leave unchanged.",
  per: "item",
  input: z.strictObject({ rules: z.array(rule).min(1).max(maxRules).describe("Tried from the first to the last.") }),
  ways: ({ rules }) => [...(Array.isArray(rules) ? rules.slice(0, maxRules) : []).flatMap(wayOf), otherwise],
  findFaults: ({ rules }) => (Array.isArray(rules) ? findRuleFaults(rules) : []),
  async run({ parameters: { rules }, items }) {
    const [fault] = findRepeatedWays(rules);
    if (fault) throw refuseInput(fault.pointer, fault.detail);
    return { outputs: { [rules.find((entry) => entry.condition)?.way ?? otherwise]: items } };
  },
});

const findRuleFaults = (rules: unknown[]): FieldFault[] => [
  ...findRepeatedWays(rules),
  ...rules.flatMap((entry, index) =>
    typeof entry === "object" && entry !== null && "condition" in entry
      ? findConditionFaults(entry.condition, `/rules/${index}/condition`)
      : [],
  ),
];

function findRepeatedWays(rules: unknown[]): FieldFault[] {
  const taken = new Set([otherwise]);
  return rules.flatMap((rule, index) => {
    const [way] = wayOf(rule);
    if (way === undefined) return [];
    if (taken.has(way)) return [{ pointer: `/rules/${index}/way`, detail: "must be unique and not otherwise" }];
    taken.add(way);
    return [];
  });
}

function wayOf(entry: unknown): string[] {
  const way = typeof entry === "object" && entry !== null && "way" in entry ? entry.way : undefined;
  return typeof way === "string" && way.length <= longestWay ? [way] : [];
}
