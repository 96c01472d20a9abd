import { z } from "zod";
import { fieldMessage } from "../../base/field-message.ts";
import { Refusal } from "../../base/refusal.ts";
import { hasMoreValues } from "../measure-json.ts";
import { toFaults } from "../read-canvas.ts";
import { maxEdges, maxNodes, maxNodeValues } from "../wire.ts";

export type N8nNode = z.output<typeof node>;
export type N8nConnection = { from: string; output: number; to: string; input: number };
export type N8nFile = {
  name: string;
  nodes: N8nNode[];
  /** Along which items flow. */
  connections: N8nConnection[];
  /** Names of nodes that serve others as a model, a memory or a tool. */
  servants: ReadonlySet<string>;
};

const furthest = 1_000_000;
const place = z
  .number()
  .catch(0)
  .transform((value) => Math.round(Math.max(-furthest, Math.min(furthest, value))));

// Tolerant: whatever else n8n writes is left out, and what is written otherwise counts as not written.
const node = z.object({
  name: z.string().min(1).max(200),
  type: z.string().min(1).max(200),
  typeVersion: z.number().catch(1),
  position: z.tuple([place, place]).catch([0, 0]),
  parameters: z.record(z.string(), z.unknown()).catch({}),
  disabled: z.boolean().catch(false),
  notes: z.string().catch(""),
  retryOnFail: z.boolean().catch(false),
  maxTries: z.number().catch(3),
  waitBetweenTries: z.number().catch(1000),
  continueOnFail: z.boolean().catch(false),
  onError: z.string().catch(""),
  alwaysOutputData: z.boolean().catch(false),
  executeOnce: z.boolean().catch(false),
});

const outline = z.object({
  name: z.string().trim().max(200).catch(""),
  nodes: z.array(z.unknown()).max(maxNodes),
  connections: z.record(z.string(), z.unknown()).default({}),
});

/** Reads what n8n exports or copies. Refuses, in words, what is no such file; nothing of it is evaluated. */
export function readN8nFile(value: unknown): N8nFile {
  const { data, error } = outline.safeParse(unwrap(value), { error: fieldMessage });
  if (error) throw refuse(toFaults(error.issues));
  const nodes = data.nodes.map(readNode);
  const names = new Set<string>();
  for (const [index, { name }] of nodes.entries()) {
    if (names.has(name)) throw refuse([{ pointer: `/nodes/${index}/name`, detail: "is the name of another node too" }]);
    names.add(name);
  }
  const all = readConnections(data.connections, names);
  const connections = all.filter(({ kind }) => kind === "main");
  const servants = new Set(all.filter(({ kind }) => kind !== "main").map(({ from }) => from));
  return { name: data.name || "Imported from n8n", nodes, connections, servants };
}

/** Several workflows are exported as a list, and some programs put one into an envelope. */
function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 1) return value[0];
    throw new Refusal("validation_failed", "The file has several workflows, or none. Import one at a time.");
  }
  const { nodes, workflow } = (value ?? {}) as { nodes?: unknown; workflow?: unknown };
  return nodes === undefined && typeof workflow === "object" ? workflow : value;
}

function refuse(errors: { pointer: string; detail: string }[]): Refusal {
  const [first] = errors;
  const where = first ? `${first.pointer.slice(1) || "The file"} ${first.detail}` : "It cannot be read";
  return new Refusal("validation_failed", `This is no workflow of n8n that can be read: ${where}.`, { errors });
}

function readNode(value: unknown, index: number): N8nNode {
  const pointer = `/nodes/${index}`;
  if (hasMoreValues(value, maxNodeValues))
    throw refuse([{ pointer, detail: `must have at most ${maxNodeValues} values in it` }]);
  const { data, error } = node.safeParse(value, { error: fieldMessage });
  if (error) throw refuse(toFaults(error.issues, pointer));
  return data;
}

type Kinded = N8nConnection & { kind: string };

/** Node to kind to output to targets. What is written otherwise leads nowhere. */
function readConnections(value: Record<string, unknown>, names: ReadonlySet<string>): Kinded[] {
  const found = Object.entries(value)
    .filter(([from]) => names.has(from))
    .flatMap(([from, kinds]) => entriesOf(kinds).flatMap(([kind, outputs]) => readOutputs({ from, kind }, outputs)))
    .filter(({ to }) => names.has(to));
  refuseTooMany(found.length);
  return [...new Map(found.map((one) => [JSON.stringify([one.from, one.kind, one.output, one.to]), one])).values()];
}

export function refuseTooMany(connections: number): void {
  if (connections > maxEdges)
    throw refuse([{ pointer: "/connections", detail: `must have at most ${maxEdges} connections` }]);
}

const readOutputs = (source: { from: string; kind: string }, outputs: unknown): Kinded[] =>
  listOf(outputs).flatMap((targets, output) =>
    listOf(targets).flatMap((target) => {
      const { node: to, index } = (target ?? {}) as { node?: unknown; index?: unknown };
      return typeof to === "string" ? [{ ...source, output, to, input: typeof index === "number" ? index : 0 }] : [];
    }),
  );

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
