import { createPause } from "../../base/pause-long-work.ts";
import { type FieldFault, Refusal } from "../../base/refusal.ts";
import { readCanvas } from "../../workflows/read-canvas.ts";
import type { Canvas } from "../../workflows/wire.ts";
import { compileGraph, type Graph } from "../walk/graph.ts";
import type { Plan } from "./plan-steps.ts";

/** What can be read of a canvas that people edit: it may have any faults. `sent` is as it was saved. */
export type EditedCanvas = { sent: Record<string, unknown>; canvas: Canvas; graph: Graph };

export async function readEdited(sent: Record<string, unknown>): Promise<EditedCanvas> {
  const { nodes, edges } = await readCanvas(sent, createPause());
  const canvas = { nodes: nodes.map(({ node }) => node), edges: edges.map(({ edge }) => edge) };
  return { sent, canvas, graph: compileGraph(canvas) };
}

/** Refuses what hinders the nodes that are executed. What is wrong elsewhere, also in nodes that are taken over, does not matter. */
export function requireFaultless({ sent }: EditedCanvas, { executed, missing }: Plan, faults: FieldFault[]): void {
  const concerned = faults.filter(({ pointer }) => {
    const [, , list = "", index = ""] = pointer.split("/");
    if (list === "notes") return false;
    const entry = entryAt(sent[list], index);
    if (!entry) return true;
    const id = list === "nodes" ? entry.id : entry.target;
    return typeof id === "string" && (executed.has(id) || missing.has(id));
  });
  const [first] = concerned;
  if (!first) return;
  const others = concerned.length === 1 ? "" : ` Faults on the way: ${concerned.length}.`;
  throw new Refusal("validation_failed", `${first.pointer.slice(1)} ${first.detail}.${others}`, { errors: concerned });
}

function entryAt(list: unknown, index: string): { id?: unknown; target?: unknown } | undefined {
  const entry: unknown = Array.isArray(list) && /^\d+$/.test(index) ? list[Number(index)] : undefined;
  return typeof entry === "object" && entry !== null ? entry : undefined;
}

/** Refuses a node that is not on the canvas. One that cannot be read is there, and its faults are told instead. */
export function requireNode({ sent, graph }: EditedCanvas, nodeId: string): void {
  const nodes: unknown[] = Array.isArray(sent.nodes) ? sent.nodes : [];
  if (graph.has(nodeId) || nodes.some((node) => (node as { id?: unknown } | null)?.id === nodeId)) return;
  const detail = "is no node of the draft";
  throw new Refusal("unknown_node", `nodeId ${detail}.`, { errors: [{ pointer: "/nodeId", detail }] });
}
