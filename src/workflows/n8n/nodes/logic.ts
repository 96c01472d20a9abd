import type { ConditionRows } from "../../conditions/operators.ts";
import { isFreeName } from "../../wire.ts";
import { isExpression } from "../expressions/translate-text.ts";
import type { Mapped, Mapper, Missing } from "../mapped.ts";
import { listOf, pairsOf, parseJson, type Reader, textOf, valueAt } from "../reader.ts";
import { readConditions, toRow } from "./conditions.ts";

/** Of the options only how strictly types are told apart, which rows here do in one way. */
function readAll(read: Reader): ConditionRows {
  for (const name of ["options", "looseTypeValidation"]) read.raw(name);
  const combined = textOf(read.raw("combineOperation") ?? read.raw("combineConditions"));
  return readConditions(read, read.raw("conditions"), ["any", "or", "OR"].includes(combined));
}

const condition: Mapper = (read) => ({
  to: "condition",
  parameters: { condition: readAll(read) },
  waysOf: (output) => [output === 0 ? "true" : "false"],
});

const filter: Mapper = (read) => ({ to: "filter", parameters: { condition: readAll(read) } });

type Way = { way: string; condition: ConditionRows; output: number };

const switchNode: Mapper = (read, { typeVersion }) => {
  if (read.raw("mode") === "expression") return { missing: "A switch takes its way by rules here, not by a number." };
  const ways = typeVersion >= 3 ? readRules(read) : readOlderRules(read);
  const fallback = read.raw("options.fallbackOutput") ?? read.raw("fallbackOutput");
  const otherwise = fallback === "extra" ? ways.length : fallback;
  return {
    to: "switch",
    parameters: { rules: ways.map(({ way, condition: rows }) => ({ way, condition: rows })) },
    waysOf: (output) => [
      ...ways.filter((one) => one.output === output).map(({ way }) => way),
      ...(otherwise === output ? ["otherwise"] : []),
    ],
  };
};

function readRules(read: Reader): Way[] {
  const taken = new Set(["otherwise"]);
  return listOf(read.raw("rules.values")).map((rule, output) => {
    const name = valueAt(rule, "outputKey");
    const isFit = typeof name === "string" && name !== "" && name.length <= 64 && isFreeName(name) && !taken.has(name);
    const way = isFit ? name : `way ${output + 1}`;
    taken.add(way);
    return { way, condition: readConditions(read, valueAt(rule, "conditions")), output };
  });
}

/** Older versions compare one value, and several rules may lead to the same output. */
function readOlderRules(read: Reader): Way[] {
  const [left, type] = [read.raw("value1"), textOf(read.raw("dataType"), "number")];
  return listOf(read.raw("rules.rules")).map((rule, index) => {
    const operation = textOf(valueAt(rule, "operation"), type === "number" ? "smaller" : "equal");
    const row = toRow(read, { left, right: valueAt(rule, "value2"), operation, type });
    const output = valueAt(rule, "output");
    return {
      way: `way ${index + 1}`,
      condition: { match: "all", rows: [row] },
      output: typeof output === "number" ? output : 0,
    };
  });
}

const joins = new Map([
  ["keepMatches", "inner"],
  ["keepEverything", "outer"],
  ["enrichInput1", "left"],
]);

const merge: Mapper = (read) => {
  const mode = textOf(read.raw("combineBy") ?? read.raw("combinationMode") ?? read.raw("mode"), "append");
  read.raw("mode");
  if (mode === "append") return { to: "merge", parameters: { mode: "append" } };
  if (["combineByPosition", "mergeByPosition", "mergeByIndex"].includes(mode))
    return { to: "merge", parameters: { mode: "position" } };
  if (["combine", "combineByFields", "mergeByFields", "mergeByKey"].includes(mode)) return mergeByKey(read);
  return { missing: `Merging by “${mode}” has no equivalent. Merge appends, or joins by position or by a key.` };
};

function mergeByKey(read: Reader): Mapped | Missing {
  const [first] = listOf(read.raw("mergeByFields.values"));
  const one = read.raw("fieldsToMatchString") ?? valueAt(first, "field1") ?? read.raw("propertyName1");
  const other = valueAt(first, "field2") ?? read.raw("propertyName2") ?? one;
  if (typeof one !== "string" || one !== other || /[,=]/.test(one))
    return { missing: "Merge joins by one field with the same name on both sides. Rename it before with Set fields." };
  const join = joins.get(textOf(read.raw("joinMode"), "keepMatches")) ?? "inner";
  return { to: "merge", parameters: { mode: "key", key: one, join, compare: "loose" } };
}

const unitMs = new Map([
  ["seconds", 1000],
  ["minutes", 60_000],
  ["hours", 3_600_000],
  ["days", 86_400_000],
]);

const wait: Mapper = (read, { typeVersion }) => {
  const resume = read.raw("resume") ?? "timeInterval";
  if (resume === "specificTime") return { to: "wait", parameters: { until: read.value("dateTime") } };
  if (resume !== "timeInterval") return { missing: "A wait ends by itself here: after a time, or at a moment." };
  const isNewer = typeVersion > 1;
  const amount = read.raw("amount") ?? (isNewer ? 5 : 1);
  const factor = unitMs.get(textOf(read.raw("unit"), isNewer ? "seconds" : "hours")) ?? 1000;
  if (typeof amount === "number") return { to: "wait", parameters: { milliseconds: Math.round(amount * factor) } };
  return { to: "wait", parameters: { milliseconds: `{{ ${factor} * ${read.expression(amount, "amount")} }}` } };
};

const callWorkflow: Mapper = (read) => {
  for (const name of ["options", "workflowInputs", "source", "mode"]) read.raw(name);
  const named = read.raw("workflowId");
  const before = typeof named === "string" && named !== "" ? ` In n8n it was ${named}.` : "";
  read.remark(`Import the workflow that is called as well, and choose it.${before}`);
  return { to: "call_workflow", parameters: {} };
};

const respond: Mapper = (read) => {
  const kind = textOf(read.raw("respondWith"), "firstIncomingItem");
  const status = read.raw("options.responseCode");
  const json = kind === "json" ? readJsonText(read, "responseBody") : undefined;
  const bodies = new Map<string, unknown>([
    ["json", json],
    ["text", kind === "text" ? read.value("responseBody") : undefined],
    ["firstIncomingItem", "{{ $input[0] }}"],
    ["allIncomingItems", "{{ [$input] }}"],
    ["noData", undefined],
  ]);
  if (!bodies.has(kind))
    return { missing: `A webhook does not answer with “${kind}” here. Respond takes a status, headers and a body.` };
  const type = typeof json === "string" ? { "Content-Type": "application/json" } : {};
  const given = pairsIn(read, "options.responseHeaders.entries");
  const headers = { ...type, ...given };
  return { to: "respond", parameters: { status, headers, body: bodies.get(kind) } };
};

const pairsIn = (read: Reader, path: string): Record<string, unknown> =>
  Object.fromEntries(
    pairsOf(read.raw(path)).map(({ name, value }) => [name, read.translate(value ?? "", `header ${name}`)]),
  );

/** JSON that n8n keeps as text: a value where it is one, otherwise a text with expressions in it. */
export function readJsonText(read: Reader, path: string): unknown {
  const text = read.raw(path);
  if (typeof text !== "string" || text === "") return read.value(path);
  const parsed = parseJson(isExpression(text) && !text.includes("{{") ? text.slice(1) : text);
  return parsed === undefined ? read.value(path) : read.translate(parsed, path);
}

const stop: Mapper = (read) => ({
  to: "stop",
  parameters: { message: read.value("errorMessage") ?? "Stopped by the workflow." },
});

/** Items of a loop are a list here, so what is done for each needs no way back. */
const loop: Mapper = (read) => {
  read.raw("options");
  const size = read.raw("batchSize") ?? 1;
  if (size !== 1) read.remark("What follows is done for each item; batches of several are not made.");
  return { to: "loop", parameters: {} };
};

/** Lets items pass. */
const nothing: Mapper = () => ({ to: "set_fields", parameters: { fields: {} } });

export const logicNodes: Record<string, Mapper> = {
  if: condition,
  filter,
  switch: switchNode,
  merge,
  wait,
  executeWorkflow: callWorkflow,
  respondToWebhook: respond,
  stopAndError: stop,
  splitInBatches: loop,
  noOp: nothing,
};
