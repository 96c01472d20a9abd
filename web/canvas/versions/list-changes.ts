import type { Comparison, NodeChange } from "../../../src/workflows/comparison-wire.ts";
import type { CanvasEdge, CanvasNode, CanvasNote } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { durationInWords } from "../../node-form/durations.ts";
import { isSchema, labelOf } from "../../node-form/field-shape.ts";
import { writeCompact } from "../../parts/data-viewer/describe-data.ts";
import { noteBoxId } from "../edit/note-edits.ts";
import { readNote } from "../edit/read-clip.ts";
import type { Mark } from "../flow/flow-data.ts";
import { nodeTitle } from "../words.ts";

/** One line of what is different between two canvases, in words. */
export type Change = {
  key: string;
  kind: Mark;
  /** The node it is about, or the box of a note; for a connection the node it leaves. */
  nodeId: string;
  title: string;
  /** Which part of the node: "Condition", "Account", "New node". */
  field: string;
  /** How it was and how it is now; undefined where it was not there. */
  before: string | undefined;
  after: string | undefined;
  /** A field of a new node or of one that is gone, which says little by itself. */
  isDetail: boolean;
};

export type ChangeContext = {
  /** Of both canvases. */
  nodes: readonly CanvasNode[];
  kinds: ReadonlyMap<string, NodeKind>;
  /** The name of an account by its reference. */
  accountName: (reference: string) => string | undefined;
};

/** What only moved is no change, and the connections of a new node or of one that is gone come with it. */
export function listChanges({ nodes, edges, notes }: Comparison, context: ChangeContext): Change[] {
  const known = new Map([...nodes.removed, ...context.nodes, ...nodes.added].map((node) => [node.id, node]));
  const titleOf = (id: string) => {
    const node = known.get(id);
    return node ? nodeTitle(node, context.kinds.get(node.nodeId)) : id;
  };
  const whole = (node: CanvasNode, kind: "new" | "gone"): Change[] => describeNode(node, { kind, titleOf, context });
  const newIds = new Set([...nodes.added, ...nodes.removed].map(({ id }) => id));
  const isOwn = ({ source, target }: CanvasEdge) => !newIds.has(source) && !newIds.has(target);
  const connection = (edge: CanvasEdge, kind: "new" | "gone") => describeEdge(edge, kind, titleOf);
  return [
    ...nodes.changed.flatMap(({ id, fields }) =>
      fields.filter(isMeant).map((field) => describeField(field, { node: known.get(id), id, titleOf, context })),
    ),
    ...nodes.added.flatMap((node) => whole(node, "new")),
    ...nodes.removed.flatMap((node) => whole(node, "gone")),
    ...edges.added.filter(isOwn).map((edge) => connection(edge, "new")),
    ...edges.removed.filter(isOwn).map((edge) => connection(edge, "gone")),
    ...notes.changed.map(({ id, before, after }) => describeNote(id, "changed", { before, after })),
    ...drawable(notes.added).map(({ id, text }) => describeNote(id, "new", { after: text })),
    ...drawable(notes.removed).map(({ id, text }) => describeNote(id, "gone", { before: text })),
  ];
}

/** As many as there are nodes and connections that differ. */
export const countChanges = (changes: readonly Change[]): number =>
  new Set(changes.map(({ kind, nodeId, field, key }) => (field === connectionField ? key : `${kind} ${nodeId}`))).size;

/** What became of each node and note that is not as it was. */
export function markNodes({ nodes, notes }: Comparison): ReadonlyMap<string, Mark> {
  return new Map<string, Mark>([
    ...nodes.changed.filter(({ fields }) => fields.some(isMeant)).map(({ id }) => [id, "changed"] as const),
    ...nodes.added.map(({ id }) => [id, "new"] as const),
    ...nodes.removed.map(({ id }) => [id, "gone"] as const),
    ...notes.changed.map(({ id }) => [noteBoxId(id), "changed"] as const),
    ...drawable(notes.added).map(({ id }) => [noteBoxId(id), "new"] as const),
    ...drawable(notes.removed).map(({ id }) => [noteBoxId(id), "gone"] as const),
  ]);
}

/** Those of a draft may have any form in truth. */
const drawable = (notes: readonly CanvasNote[]): CanvasNote[] => notes.flatMap((note) => readNote(note) ?? []);

type FieldChange = NodeChange["fields"][number];
const isMeant = ({ pointer }: FieldChange) => pointer !== "/position" && !pointer.startsWith("/position/");
const connectionField = "Connection";

type Around = { titleOf: (id: string) => string; context: ChangeContext };

function describeField(
  change: FieldChange,
  { node, id, titleOf, context }: Around & { node: CanvasNode | undefined; id: string },
): Change {
  const isNew = !("before" in change);
  const isGone = !("after" in change);
  const kind = node && context.kinds.get(node.nodeId);
  return {
    key: `${id} ${change.pointer}`,
    kind: "changed",
    nodeId: id,
    title: titleOf(id),
    field: fieldInWords(change.pointer, kind),
    before: isNew ? undefined : valueInWords(change.pointer, change.before, { kind, context }),
    after: isGone ? undefined : valueInWords(change.pointer, change.after, { kind, context }),
    isDetail: false,
  };
}

function describeNode(node: CanvasNode, { kind, titleOf, context }: Around & { kind: "new" | "gone" }): Change[] {
  const nodeKind = context.kinds.get(node.nodeId);
  const sides = (text: string) =>
    kind === "new" ? { before: undefined, after: text } : { before: text, after: undefined };
  const about = { kind, nodeId: node.id, title: titleOf(node.id) };
  const fields = Object.entries(node.parameters ?? {}).map(([name, value]): Change => {
    const pointer = `/parameters/${name}`;
    return {
      ...about,
      key: `${node.id} ${pointer}`,
      field: fieldInWords(pointer, nodeKind),
      ...sides(valueInWords(pointer, value, { kind: nodeKind, context })),
      isDetail: true,
    };
  });
  const field = kind === "new" ? "New node" : "Removed node";
  const origin = nodeKind?.provider ? `${nodeKind.provider.title}: ` : "";
  const head = { ...about, key: node.id, field, ...sides(`${origin}${nodeKind?.title ?? node.nodeId}`) };
  return [{ ...head, isDetail: false }, ...fields];
}

function describeEdge(edge: CanvasEdge, kind: "new" | "gone", titleOf: Around["titleOf"]): Change {
  const way = edge.sourceHandle ? `${edge.sourceHandle} → ` : "→ ";
  const text = `${way}${titleOf(edge.target)}`;
  return {
    key: `${kind} ${edge.source} ${text}`,
    kind,
    nodeId: edge.source,
    title: titleOf(edge.source),
    field: connectionField,
    before: kind === "new" ? undefined : text,
    after: kind === "new" ? text : undefined,
    isDetail: false,
  };
}

function describeNote(id: string, kind: Mark, { before, after }: { before?: string; after?: string }): Change {
  return {
    key: `${kind} ${noteBoxId(id)}`,
    kind,
    nodeId: noteBoxId(id),
    title: "Note",
    field: "Text",
    before: before === undefined ? undefined : shorten(before),
    after: after === undefined ? undefined : shorten(after),
    isDetail: false,
  };
}

/** The label that the form of the node gives the field. */
function fieldInWords(pointer: string, kind: NodeKind | undefined): string {
  const [, part = "", name] = pointer.split("/");
  if (name === undefined) return partNames[part] ?? labelOf({}, part || "node");
  if (part === "credentials") return "Account";
  return labelOf(schemaAt(pointer, kind), name);
}

function schemaAt(pointer: string, kind: NodeKind | undefined): Record<string, unknown> {
  const [, part, name = ""] = pointer.split("/");
  const properties = kind?.inputSchema.properties;
  const schema = part === "parameters" && isSchema(properties) ? properties[name] : undefined;
  return isSchema(schema) ? schema : {};
}

const partNames: Record<string, string> = {
  nodeId: "Type of node",
  name: "Name",
  instruction: "Instruction",
  note: "Note",
};
const longest = 300;

type ValueContext = { kind: NodeKind | undefined; context: ChangeContext };

function valueInWords(pointer: string, value: unknown, { kind, context: { accountName } }: ValueContext): string {
  if (typeof value === "number" && schemaAt(pointer, kind).unit === "milliseconds") return durationInWords(value);
  if (typeof value !== "string") return writeCompact(value, longest);
  const text = (pointer.startsWith("/credentials/") && accountName(value)) || value;
  return shorten(text);
}

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
