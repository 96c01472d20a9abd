import type { Canvas, CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";

const format = "switchyard.nodes";

export const writeClip = (clip: Canvas): string => JSON.stringify({ format, ...clip }, null, 2);

/** Nodes that were copied here or in another workflow; undefined for any other text. What they mean is for the server to check. */
export function readClip(text: string): Canvas | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) && value.format === format ? readCanvas(value) : undefined;
}

/** A canvas from outside of this page, in a form that can be drawn; undefined where it is none. */
export function readCanvas(value: unknown): Canvas | undefined {
  if (!isObject(value) || !Array.isArray(value.nodes) || !Array.isArray(value.edges)) return undefined;
  const nodes = value.nodes.map(readNode);
  const edges = value.edges.map(readEdge);
  return nodes.includes(undefined) || edges.includes(undefined) ? undefined : ({ nodes, edges } as Canvas);
}

function readNode(value: unknown): CanvasNode | undefined {
  if (!isObject(value) || !isText(value.id) || !isText(value.nodeId)) return undefined;
  const checks = {
    name: isText,
    instruction: isText,
    parameters: isObject,
    credentials: isObject,
    settings: isObject,
    position: isPlace,
  };
  const entries = Object.entries(checks).filter(([name, isRight]) => isRight(value[name]));
  return { id: value.id, nodeId: value.nodeId, ...Object.fromEntries(entries.map(([name]) => [name, value[name]])) };
}

function readEdge(value: unknown): CanvasEdge | undefined {
  if (!isObject(value) || !isText(value.id) || !isText(value.source) || !isText(value.target)) return undefined;
  const { id, source, target, sourceHandle } = value;
  return { id, source, ...(isText(sourceHandle) ? { sourceHandle } : {}), target };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlace = (value: unknown) => isObject(value) && Number.isFinite(value.x) && Number.isFinite(value.y);
