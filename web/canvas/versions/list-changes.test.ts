import { describe, expect, it } from "vitest";
import type { Comparison } from "../../../src/workflows/comparison-wire.ts";
import type { CanvasNote } from "../../../src/workflows/wire.ts";
import { countChanges, listChanges, markNodes } from "./list-changes.ts";

const tell = { id: "tell", nodeId: "slack_send_message", name: "Tell them" };
const nothing: Comparison = {
  from: 1,
  to: "draft",
  nodes: { added: [], removed: [], changed: [] },
  edges: { added: [], removed: [] },
  notes: { added: [], removed: [], changed: [] },
};
const listed = (comparison: Partial<Comparison>) =>
  listChanges(
    { ...nothing, ...comparison },
    {
      nodes: [tell, { id: "wait", nodeId: "wait" }],
      kinds: new Map(),
      accountName: (reference) => (reference === "cred_1" ? "Slack of Ann" : undefined),
    },
  );
const said = (comparison: Partial<Comparison>) =>
  listed(comparison).map(({ kind, title, field, before, after }) => [kind, title, field, before, after]);

describe("what is different between two canvases", () => {
  it("is one line for each field, with the name of the node and both values", () => {
    const fields = [
      { pointer: "/parameters/text", before: "a", after: "b" },
      { pointer: "/credentials/slack", before: "cred_1", after: "cred_2" },
      { pointer: "/settings/retries", after: 2 },
      { pointer: "/name", before: "Say" },
    ];
    expect(said({ nodes: { added: [], removed: [], changed: [{ id: "tell", fields }] } })).toEqual([
      ["changed", "Tell them", "Text", "a", "b"],
      ["changed", "Tell them", "Account", "Slack of Ann", "cred_2"],
      ["changed", "Tell them", "Retries", undefined, "2"],
      ["changed", "Tell them", "Name", "Say", undefined],
    ]);
  });

  it("names new nodes and those that are gone with their fields, and no connection that comes with them", () => {
    const added = [{ id: "new", nodeId: "wait", parameters: { milliseconds: 5 } }];
    const removed = [{ id: "old", nodeId: "start", name: "Begin" }];
    const edges = {
      added: [
        { id: "e", source: "wait", target: "tell", sourceHandle: "true" },
        { id: "n", source: "tell", target: "new" },
      ],
      removed: [{ id: "f", source: "old", target: "tell" }],
    };
    const changes = { nodes: { added, removed, changed: [] }, edges };
    expect(said(changes)).toEqual([
      ["new", "wait", "New node", undefined, "wait"],
      ["new", "wait", "Milliseconds", undefined, "5"],
      ["gone", "Begin", "Removed node", "start", undefined],
      ["new", "wait", "Connection", undefined, "true → Tell them"],
    ]);
    expect(countChanges(listed(changes))).toBe(3);
  });

  it("has a line for each note whose text is another, or that is new or gone", () => {
    const note = (id: string, text: string) => ({ id, text, x: 0, y: 0, width: 240, height: 120 });
    const notes = {
      added: [note("b", "New")],
      removed: [note("c", "Old")],
      changed: [{ id: "a", before: "Ann", after: "Ben" }],
    };
    expect(said({ notes })).toEqual([
      ["changed", "Note", "Text", "Ann", "Ben"],
      ["new", "Note", "Text", undefined, "New"],
      ["gone", "Note", "Text", "Old", undefined],
    ]);
    expect(countChanges(listed({ notes }))).toBe(3);
    expect(markNodes({ ...nothing, notes }).get("note:a")).toBe("changed");
  });

  it("leaves out notes of a draft that have no form of a note", () => {
    const malformed = [null, { id: "a", text: null }, { id: "b", text: "B" }] as unknown as CanvasNote[];
    const notes = { added: malformed, removed: malformed, changed: [] };
    expect(said({ notes })).toEqual([]);
    expect(markNodes({ ...nothing, notes })).toEqual(new Map());
  });

  it("counts a node once, and one that only moved not at all", () => {
    const moved = { id: "wait", fields: [{ pointer: "/position", before: { x: 1, y: 1 }, after: { x: 2, y: 1 } }] };
    const fields = ["/parameters/text", "/parameters/channel"].map((pointer) => ({ pointer, before: 1, after: 2 }));
    const nodes = { added: [], removed: [], changed: [moved, { id: "tell", fields }] };
    expect(countChanges(listed({ nodes }))).toBe(1);
    expect(markNodes({ ...nothing, nodes })).toEqual(new Map([["tell", "changed"]]));
  });
});
