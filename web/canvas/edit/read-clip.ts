import type { Canvas, CanvasEdge, CanvasNode, CanvasNote } from "../../../src/workflows/wire.ts";

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
  if (nodes.includes(undefined) || edges.includes(undefined)) return undefined;
  return { nodes, edges, ...readNotes(value.notes) } as Canvas;
}

/** A note that cannot be drawn is left out: nothing depends on it. */
function readNotes(value: unknown): Pick<Canvas, "notes"> {
  if (!Array.isArray(value)) return {};
  const notes = value.flatMap((note) => readNote(note) ?? []);
  return notes.length > 0 ? { notes } : {};
}

/** Undefined where it is none that can be drawn. */
export function readNote(value: unknown): CanvasNote | undefined {
  if (!isObject(value) || !isText(value.id) || !isText(value.text)) return undefined;
  const { id, text, x, y, width, height } = value;
  return isNumber(x) && isNumber(y) && isNumber(width) && isNumber(height)
    ? { id, text, x, y, width, height }
    : undefined;
}

function readNode(value: unknown): CanvasNode | undefined {
  if (!isObject(value) || !isText(value.id) || !isText(value.nodeId)) return undefined;
  const checks = {
    name: isText,
    instruction: isText,
    parameters: isObject,
    credentials: isObject,
    settings: isObject,
    note: isText,
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
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isPlace = (value: unknown) => isObject(value) && isNumber(value.x) && isNumber(value.y);
