import type { PreviewScope } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { isNested, kindOf, writeCompact } from "../../parts/data-viewer/describe-data.ts";
import { stepInto } from "../../parts/data-viewer/reference-path.ts";
import { fieldsOf, isSchema, type Schema } from "../field-shape.ts";
import { nodeTitle } from "../node-title.ts";
import type { Suggestion } from "./expressions.ts";
import { findAncestors } from "./find-ancestors.ts";
import { functionSuggestions } from "./functions.ts";

type SuggestionContext = {
  canvas: Canvas;
  node: CanvasNode;
  kinds: ReadonlyMap<string, NodeKind>;
  scope: PreviewScope | undefined;
};

/** Everything a field of this node can refer to: what came in, what started the run, nodes that come before, variables, and functions. */
export function collectSuggestions({ canvas, node, kinds, scope }: SuggestionContext): Suggestion[] {
  const ancestors = findAncestors(canvas.edges, node.id);
  const before = canvas.nodes.filter(({ id }) => ancestors.has(id));
  const sources = canvas.edges.filter(({ target }) => target === node.id).map(({ source }) => source);
  const ofNode = (source: CanvasNode, root: string): Suggestion[] => {
    const first = scope?.nodes[source.id]?.[0];
    const schema = kinds.get(source.nodeId)?.outputSchema;
    return first ? pathsIn(first, root) : pathsOfSchema(schema ?? {}, root);
  };
  const incoming = before.filter(({ id }) => sources.includes(id)).flatMap((source) => ofNode(source, "$input"));
  const input = before.length > 0 ? [{ text: "$input", detail: "what comes in" }, ...incoming] : [];
  const nodes = before.flatMap((source) => [
    { text: `$nodes.${source.id}.first`, detail: `first item of ${nodeTitle(canvas, source.id, kinds)}` },
    {
      text: `$nodes.${source.id}.item`,
      detail: `item of ${nodeTitle(canvas, source.id, kinds)} that this one came from`,
    },
    { text: `$nodes.${source.id}.items`, detail: `all items of ${nodeTitle(canvas, source.id, kinds)}` },
    ...ofNode(source, `$nodes.${source.id}.first`),
  ]);
  return withoutRepetitions([
    ...input,
    ...triggerSuggestions(scope),
    ...nodes,
    ...pathsIn(scope?.vars, "$vars"),
    ...ownSuggestions,
    ...functionSuggestions,
  ]);
}

const ownSuggestions: Suggestion[] = [
  { text: "$node.id", detail: "the id of this node" },
  { text: "$node.instruction", detail: "the instruction of this node" },
];

function triggerSuggestions(scope: PreviewScope | undefined): Suggestion[] {
  const trigger = scope?.trigger;
  const inside = trigger && isNested(trigger.payload) ? pathsIn(trigger.payload, "$trigger.payload") : [];
  return [
    {
      text: "$trigger.prompt",
      detail: trigger?.prompt ? writeCompact(trigger.prompt, 40) : "the text a run was started with",
    },
    { text: "$trigger.payload", detail: trigger ? kindOf(trigger.payload) : "the data a run was started with" },
    { text: "$trigger.source", detail: trigger ? writeCompact(trigger.source, 40) : "what started the run" },
    { text: "$trigger.sender", detail: trigger ? writeCompact(trigger.sender, 40) : "who started the run" },
    ...(trigger?.event ? [{ text: "$trigger.event", detail: writeCompact(trigger.event, 40) }] : []),
    ...inside,
  ];
}

const deepest = 4;
const mostPaths = 200;
const mostFields = 50;

/** References to the fields of a value, the outer ones first. Of a list, those of its first entry. */
export function pathsIn(value: unknown, root: string): Suggestion[] {
  const found: Suggestion[] = [];
  let level: [string, unknown][] = [[root, value]];
  for (let depth = 0; depth < deepest && found.length < mostPaths; depth++) {
    const next = level.flatMap(([path, entry]) =>
      inside(entry).map(([step, child]): [string, unknown] => [stepInto(path, step), child]),
    );
    found.push(
      ...next.map(([text, entry]) => ({ text, detail: isNested(entry) ? kindOf(entry) : writeCompact(entry, 40) })),
    );
    level = next;
  }
  return found.slice(0, mostPaths);
}

function inside(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.length > 0 ? [[0, value[0]]] : [];
  return isNested(value) ? Object.entries(value).slice(0, mostFields) : [];
}

/** The same for a node that has not run yet, from what its type says about its items. */
export function pathsOfSchema(schema: Schema, root: string, depth = 0): Suggestion[] {
  if (depth >= deepest) return [];
  const fields = fieldsOf(schema).flatMap(({ name, schema: field }) => {
    const text = stepInto(root, name);
    const detail = String(field.description ?? typeWords[String(field.type)] ?? "any value");
    return [{ text, detail }, ...pathsOfSchema(field, text, depth + 1)];
  });
  const entry = isSchema(schema.items) ? pathsOfSchema(schema.items, stepInto(root, 0), depth + 1) : [];
  return [...fields, ...entry].slice(0, mostPaths);
}

const typeWords: Record<string, string> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
  array: "list",
  object: "object",
};

function withoutRepetitions(suggestions: Suggestion[]): Suggestion[] {
  return [...new Map(suggestions.toReversed().map((entry) => [entry.text, entry])).values()].toReversed();
}
