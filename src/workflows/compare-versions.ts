import { isDeepStrictEqual } from "node:util";
import type { Comparison, NodeChange } from "./comparison-wire.ts";
import { toPointer } from "./read-canvas.ts";
import type { Canvas } from "./wire.ts";

/**
 * What has to be done to one canvas to get the other. An edge that changed is one removed and one added. A draft may have any form: what has no id
 * of its own is known by its place in the list.
 */
export function compareCanvases(before: Canvas, after: Canvas): Pick<Comparison, "nodes" | "edges" | "notes"> {
  const [old, current] = [byId(before.nodes), byId(after.nodes)];
  return {
    nodes: {
      added: without(current, old),
      removed: without(old, current),
      changed: [...current].flatMap(([id, node]) => {
        const fields = old.has(id) ? compareNodes(old.get(id), node) : [];
        return fields.length > 0 ? [{ id, fields }] : [];
      }),
    },
    edges: { added: missingIn(before.edges, after.edges), removed: missingIn(after.edges, before.edges) },
    notes: compareNotes(before.notes, after.notes),
  };
}

/** Where a note lies and how large it is says nothing. */
function compareNotes(before: Canvas["notes"], after: Canvas["notes"]): Comparison["notes"] {
  const [old, current] = [byId(before), byId(after)];
  return {
    added: without(current, old),
    removed: without(old, current),
    changed: [...current].flatMap(([id, note]) => {
      const texts = { before: textOf(old.get(id)), after: textOf(note) };
      return old.has(id) && texts.before !== texts.after ? [{ id, ...texts }] : [];
    }),
  };
}

const textOf = (note: unknown): string => (isRecord(note) && typeof note.text === "string" ? note.text : "");

const listOf = <Entry>(list: Entry[] | undefined): Entry[] => (Array.isArray(list) ? list : []);

function byId<Entry>(list: Entry[] | undefined): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const [index, entry] of listOf(list).entries()) {
    const id: unknown = isRecord(entry) ? entry.id : undefined;
    found.set(typeof id === "string" && !found.has(id) ? id : `#${index}`, entry);
  }
  return found;
}

const without = <Entry>(entries: ReadonlyMap<string, Entry>, others: ReadonlyMap<string, Entry>): Entry[] =>
  [...entries].filter(([id]) => !others.has(id)).map(([, entry]) => entry);

function missingIn<Edge>(edges: Edge[], others: Edge[]): Edge[] {
  const there = new Set(listOf(edges).map(toText));
  return listOf(others).filter((edge) => !there.has(toText(edge)));
}

/** The same for the same edge, whatever the order of its keys. */
const toText = (edge: unknown): string =>
  JSON.stringify(isRecord(edge) ? Object.entries(edge).sort(([one], [other]) => (one < other ? -1 : 1)) : edge);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// What is inside of these is compared one by one: "the parameters changed" would say nothing.
const opened = new Set(["parameters", "credentials", "settings"]);

function compareNodes(before: unknown, after: unknown): NodeChange["fields"] {
  const [old, current] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((pointer) => {
    if (isDeepStrictEqual(old.get(pointer), current.get(pointer))) return [];
    const sides = { before: old.get(pointer), after: current.get(pointer) };
    return [{ pointer, ...Object.fromEntries(Object.entries(sides).filter(([, value]) => value !== undefined)) }];
  });
}

const fieldsOf = (node: unknown): Map<string, unknown> =>
  isRecord(node)
    ? new Map(
        Object.entries(node).flatMap(([name, value]) =>
          opened.has(name) && isRecord(value)
            ? Object.entries(value).map(([key, inner]) => [toPointer([name, key]), inner] as const)
            : [[toPointer([name]), value] as const],
        ),
      )
    : new Map([["", node]]);
