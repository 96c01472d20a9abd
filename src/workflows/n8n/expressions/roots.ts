import { type Script, unreadable } from "./javascript.ts";
import type { Names } from "./names.ts";

/** What n8n offers to expressions and has no counterpart here. */
const withoutCounterpart = new Map([
  ["$env", "variables of the environment are not offered to workflows"],
  ["$secrets", "secrets are kept in accounts"],
  ["$workflow", "a workflow does not know its own name or id"],
  ["$execution", "a run does not know its own id"],
  ["$itemIndex", "an item does not know its place"],
  ["$runIndex", "a node does not know how often it ran"],
  ["$prevNode", "a node does not know the name of the one before it"],
  ["$parameter", "a node does not see its own parameters"],
  ["$binary", "files are handed on by their fields"],
  ["$today", "write it with $now()"],
  ["$jmespath", "JSONata finds and filters by itself"],
  ["$fromAI", "a model fills what you leave empty, by the instruction of the node"],
]);

/** Where a path begins, as JSONata; undefined where this is no beginning. */
export function findRoot(script: Script, names: Names): string | undefined {
  if (script.kind === "name") return rootNamed(script.name);
  if (isMember(script, "json")) return rootOfJson(script.of, names);
  if (isNow(script)) return "$now()";
  return undefined;
}

function rootNamed(name: string): string | undefined {
  if (name === "$json") return "$input";
  if (name === "$now") return "$now()";
  if (name === "$vars") return name;
  const reason = withoutCounterpart.get(name);
  if (reason !== undefined) throw unreadable(`${name}: ${reason}`);
  return undefined;
}

const isMember = (script: Script, name: string): script is Extract<Script, { kind: "member" }> =>
  script.kind === "member" && script.name === name;

/** `$now.toISO()` and the like. */
const isNow = (script: Script): boolean =>
  script.kind === "call" &&
  script.inputs.length === 0 &&
  script.callee.kind === "member" &&
  ["toISO", "toISOString", "toString"].includes(String(script.callee.name)) &&
  script.callee.of.kind === "name" &&
  script.callee.of.name === "$now";

/** What stands before `.json`: an item of a node, by one of the ways in which n8n names it. */
function rootOfJson(item: Script, names: Names): string | undefined {
  if (item.kind === "member") return rootOfItem(item, names);
  if (item.kind !== "call" || item.callee.kind !== "member" || item.inputs.length > 0) return undefined;
  const { of, name } = item.callee;
  const end = name === "first" ? "first" : name === "last" ? "items[-1]" : undefined;
  if (end === undefined) return undefined;
  if (isNamed(of, "$input")) return `$nodes.${requireBefore(names)}.${end}`;
  const nodeName = nameInCall(of, "$");
  return nodeName === undefined ? undefined : `$nodes.${requireId(names, nodeName)}.${end}`;
}

function rootOfItem({ of, name }: Extract<Script, { kind: "member" }>, names: Names): string | undefined {
  if (isNamed(of, "$node")) return `$nodes.${requireId(names, String(name))}.item`;
  if (name === "item" && isNamed(of, "$input")) return "$input";
  const ofNode = name === "item" ? nameInCall(of, "$") : undefined;
  if (ofNode !== undefined) return `$nodes.${requireId(names, ofNode)}.item`;
  const listed = typeof name === "number" ? nameInCall(of, "$items") : undefined;
  return listed === undefined ? undefined : `$nodes.${requireId(names, listed)}.items[${name}]`;
}

const isNamed = (script: Script, name: string): boolean => script.kind === "name" && script.name === name;

/** The text in `$("Name")`. */
function nameInCall(script: Script, callee: string): string | undefined {
  if (script.kind !== "call" || !isNamed(script.callee, callee) || script.inputs.length !== 1) return undefined;
  const [input] = script.inputs;
  return input?.kind === "value" && typeof input.value === "string" ? input.value : undefined;
}

function requireId({ idOf }: Names, nodeName: string): string {
  const id = idOf(nodeName);
  if (id === undefined) throw unreadable(`the node “${nodeName}” is not in the file, or was not taken over`);
  return id;
}

function requireBefore({ before }: Names): string {
  if (before === undefined) throw unreadable("not exactly one node leads here, so the first item is not certain");
  return before;
}
