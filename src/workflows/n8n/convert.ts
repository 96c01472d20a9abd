import { createPause } from "../../base/pause-long-work.ts";
import { Refusal } from "../../base/refusal.ts";
import { createReferenceCount } from "../parse-references.ts";
import type { ConvertedNode } from "../translation-wire.ts";
import type { Canvas, CanvasEdge, CanvasNode } from "../wire.ts";
import type { Names } from "./expressions/names.ts";
import { createIds } from "./ids.ts";
import { mapNode } from "./map-node.ts";
import type { Converted, NodeMapping } from "./mapped.ts";
import { placeNotes } from "./notes.ts";
import { type N8nConnection, type N8nNode, readN8nFile, refuseTooMany } from "./read-n8n-file.ts";
import { settingsBehind, settingsOf } from "./settings.ts";
import { cutCircles, straightenLoops } from "./straighten.ts";

type Conversion = { name: string; canvas: Canvas; nodes: ConvertedNode[]; remarks: string[] };

const stickyType = ".stickyNote";
/** A node behind a request, beside it. */
const partDistance = 270;

/** A workflow of n8n as a canvas, and a report on every node of it. Pure: nothing is looked up, stored or run. */
export async function convertN8n(value: unknown): Promise<Conversion> {
  const file = readN8nFile(value);
  const nodes = file.nodes.filter(({ type }) => !type.endsWith(stickyType));
  const connections = straightenLoops({ nodes, connections: file.connections });
  const sources = sourcesOf(connections);
  const ids = createIds();
  const own = new Map(nodes.map(({ name }) => [name, { first: ids(name), last: ids(`${name} items`) }]));
  const linked = new Set(connections.flatMap(({ from, to }) => [from, to]));
  const pause = createPause();
  // Which of both gives the items is known once all are mapped: expressions are translated after that, with the right names.
  const isLong = new Set<string>();
  for (const node of nodes) {
    await pause();
    if (hasPartBehind(mapNode(node))) isLong.add(node.name);
  }
  const idOf = (name: string): string | undefined => own.get(name)?.[isLong.has(name) ? "last" : "first"];
  const count = createCount();
  const scale = isLong.size > 0 ? 2.6 : 1.6;
  const converted: Converted[] = [];
  for (const node of nodes) {
    await pause();
    const isServant = file.servants.has(node.name) && !linked.has(node.name);
    const mapping = isServant
      ? servant
      : mapNode(node, { idOf, before: idBefore(sources.get(node.name), idOf), count });
    const isNeeded = !("missing" in mapping.mapped) || linked.has(node.name);
    converted.push(convertNode(node, { mapping, ids: own.get(node.name), scale, isNeeded }));
  }
  const { edges, remarks } = connect(converted, connections);
  const { notes, left } = placeNotes(
    converted,
    file.nodes.filter(({ type }) => type.endsWith(stickyType)),
    scale,
  );
  return {
    name: file.name,
    canvas: { nodes: converted.flatMap(({ parts }) => parts), edges, ...(notes.length > 0 ? { notes } : {}) },
    nodes: converted.map(({ report }) => report),
    remarks: cutRemarks([...left, ...remarks]),
  };
}

const hasPartBehind = ({ mapped }: NodeMapping): boolean => "after" in mapped && mapped.after !== undefined;

/** Which nodes lead to each node, by its name. */
const sourcesOf = (connections: N8nConnection[]): Map<string, Set<string>> => {
  const byTarget = Map.groupBy(connections, ({ to }) => to);
  return new Map([...byTarget].map(([name, leading]) => [name, new Set(leading.map(({ from }) => from))]));
};

function idBefore(sources: ReadonlySet<string> | undefined, idOf: Names["idOf"]): Names["before"] {
  const [only] = sources ?? [];
  return sources?.size === 1 && only !== undefined ? idOf(only) : undefined;
}

/** Over the whole file, as over a canvas. */
function createCount(): Names["count"] {
  const count = createReferenceCount();
  return (source) => {
    if (count(source) === undefined) return;
    const words =
      "The file has more expressions than a canvas may have. Split the workflow in n8n, and import its parts.";
    throw new Refusal("validation_failed", words);
  };
}

const servant: NodeMapping = {
  mapped: { missing: "It serves another node as a model, a memory or a tool, which nodes here do without." },
  remarks: [],
};

const mostRemarks = 20;
const longestRemark = 1000;

/** As many as people read. */
function cutRemarks(remarks: string[]): string[] {
  const shown = remarks.length > mostRemarks ? remarks.slice(0, mostRemarks - 1) : remarks;
  const left = remarks.length - shown.length;
  const words = left > 0 ? [`${left} more remarks are left out.`] : [];
  return [...shown.map((remark) => remark.slice(0, longestRemark)), ...words];
}

type Making = {
  mapping: NodeMapping;
  ids: { first: string; last: string } | undefined;
  scale: number;
  isNeeded: boolean;
};

function convertNode(node: N8nNode, { mapping, ids, scale, isNeeded }: Making): Converted {
  const { mapped, remarks } = mapping;
  const { settings, remarks: ofSettings } = settingsOf(node);
  const [x, y] = [Math.round(node.position[0] * scale), node.position[1]];
  const note = node.notes === "" ? {} : { note: node.notes.slice(0, 2000) };
  const common = { name: node.name, ...(settings && { settings }), position: { x, y }, ...note };
  const base = { name: node.name, type: node.type };
  if (!ids || "missing" in mapped) {
    // It holds the place, and cannot be published before somebody says what it does.
    const parts = ids && isNeeded ? [{ id: ids.first, nodeId: "transform", ...common }] : [];
    const missing = "missing" in mapped ? [mapped.missing] : [];
    return { node, mapping, parts, report: { ...base, outcome: "missing", becomes: [], remarks: cutRemarks(missing) } };
  }
  const { to, parameters, after, trigger } = mapped;
  const first: CanvasNode = { id: ids.first, nodeId: to, ...common, parameters };
  const behind = after === undefined ? [] : [partBehind(first, ids.last, after)];
  const all = cutRemarks([...(trigger === undefined ? [] : [trigger]), ...remarks, ...ofSettings]);
  const parts = [first, ...behind];
  const outcome = all.length > 0 ? "changed" : "mapped";
  return {
    node,
    mapping,
    parts,
    report: { ...base, outcome, becomes: parts.map(({ nodeId }) => nodeId), remarks: all },
  };
}

/** What failed in the first part passes it as it is. */
function partBehind({ name = "", settings, position }: CanvasNode, id: string, after: string): CanvasNode {
  const { x, y } = position ?? { x: 0, y: 0 };
  return {
    id,
    nodeId: "transform",
    name: `${name.slice(0, 190)}: items`,
    parameters: { expression: settings?.continueOnError ? `$exists($input.error) ? $input : (${after})` : after },
    ...settingsBehind(settings),
    position: { x: x + partDistance, y },
  };
}

type Line = Omit<CanvasEdge, "id"> & { words: string };

/** The edges of the canvas. Those that lead to the same node are in the order of its inputs. */
function connect(converted: Converted[], connections: N8nConnection[]): { edges: CanvasEdge[]; remarks: string[] } {
  const byName = new Map(converted.map((one) => [one.node.name, one]));
  const remarks: string[] = [];
  let made = 0;
  const lines = connections
    .toSorted((one, other) => one.input - other.input)
    .flatMap(({ from, output, to }): Line[] => {
      const [source, target] = [byName.get(from), byName.get(to)?.parts[0]];
      const words = `from “${from}” to “${to}”`;
      const last = source?.parts.at(-1);
      if (!source || !last || !target) return [];
      const ways = waysOf(source, output);
      // Several rules may lead along one connection.
      made += ways.length;
      refuseTooMany(made);
      if (ways.length === 0)
        remarks.push(`The connection ${words} is left out: its output ${output + 1} has no way here.`);
      return ways.map((way) => ({
        source: last.id,
        target: target.id,
        words,
        ...(way === null ? {} : { sourceHandle: way }),
      }));
    });
  const inside = converted.flatMap(({ parts: [first, second] }): Line[] =>
    first && second ? [{ source: first.id, target: second.id, words: "" }] : [],
  );
  const { kept, cut } = cutCircles([...lines, ...inside]);
  remarks.push(...cut.map(({ words }) => `The connection ${words} is left out: it closes a circle.`));
  return { edges: withIds(kept), remarks };
}

function waysOf({ mapping: { mapped } }: Converted, output: number): (string | null)[] {
  if ("missing" in mapped || mapped.waysOf === undefined) return output === 0 ? [null] : [];
  return mapped.waysOf(output);
}

function withIds(lines: Line[]): CanvasEdge[] {
  const seen = new Set<string>();
  return lines.flatMap(({ words: _words, ...edge }) => {
    const key = JSON.stringify([edge.source, edge.sourceHandle, edge.target]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ id: `edge_${seen.size}`, ...edge }];
  });
}
