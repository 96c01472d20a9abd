import { describe, expect, it } from "vitest";
import type { Canvas } from "../../src/workflows/wire.ts";
import { clipNodes } from "./edit/copy-nodes.ts";
import { readClip, writeClip } from "./edit/read-clip.ts";
import { type Edit, type EditState, editCanvas, startEditing } from "./edit-canvas.ts";

const at = (x: number, y = 0) => ({ x, y });
const canvas: Canvas = {
  nodes: [
    { id: "start", nodeId: "start", position: at(0) },
    {
      id: "fetch",
      nodeId: "http_request",
      name: "Fetch",
      parameters: { url: "https://example.com" },
      position: at(300),
    },
    {
      id: "tell",
      nodeId: "slack_send_message",
      parameters: { text: "{{ $nodes.fetch.first.title }} $nodes.fetcher" },
      position: at(600),
    },
  ],
  edges: [
    { id: "edge_1", source: "start", target: "fetch" },
    { id: "edge_2", source: "fetch", target: "tell" },
  ],
};

const edited = (...edits: Edit[]): EditState => edits.reduce(editCanvas, startEditing(canvas));
const ids = (state: EditState) => state.canvas.nodes.map(({ id }) => id);
const lines = (state: EditState) =>
  state.canvas.edges.map((edge) => `${edge.source}.${edge.sourceHandle ?? "out"}>${edge.target}`);
const added = (nodeId: string, more: Partial<Edit & { type: "add" }> = {}): Edit => ({
  type: "add",
  node: { nodeId },
  way: "out",
  ...more,
});

describe("adding a node", () => {
  it("gives readable ids that are free", () => {
    const state = edited(added("slack_send_message"), added("slack_send_message"), added("wait"));
    expect(ids(state).slice(3)).toEqual(["slack_send_message", "slack_send_message_2", "wait"]);
    expect(state.select).toEqual(["wait"]);
  });

  it("connects it to the way out it was asked for on, and puts it beside", () => {
    const state = edited(
      added("condition", { after: { nodeId: "tell", way: "out" } }),
      added("wait", { after: { nodeId: "condition", way: "false" } }),
    );
    expect(lines(state).slice(2)).toEqual(["tell.out>condition", "condition.false>wait"]);
    expect(state.canvas.nodes.at(-1)?.position).toEqual(at(1200));
  });

  it("puts no node onto another one", () => {
    const state = edited(added("wait", { after: { nodeId: "start", way: "out" } }));
    expect(state.canvas.nodes.at(-1)?.position).toEqual(at(300, 100));
  });

  it("fits it into an edge and moves what follows", () => {
    const state = edited(added("wait", { onEdge: "edge_1" }));
    expect(lines(state)).toEqual(["fetch.out>tell", "start.out>wait", "wait.out>fetch"]);
    expect(state.canvas.nodes.map(({ id, position }) => [id, position?.x])).toEqual([
      ["start", 0],
      ["fetch", 600],
      ["tell", 900],
      ["wait", 300],
    ]);
  });

  it("ends the line at a node that nothing comes out of", () => {
    expect(lines(edited(added("stop", { onEdge: "edge_2", way: undefined })))).toEqual([
      "start.out>fetch",
      "fetch.out>stop",
    ]);
  });
});

describe("connecting", () => {
  const connect = (nodeId: string, target: string, way = "out"): Edit => ({
    type: "connect",
    from: { nodeId, way },
    target,
  });

  it("draws a line once, and names the way where it is not the only one", () => {
    expect(lines(edited(connect("start", "tell"), connect("start", "tell")))).toContain("start.out>tell");
    expect(edited(connect("start", "tell"), connect("start", "tell")).canvas.edges).toHaveLength(3);
    expect(edited(connect("start", "tell", "true")).canvas.edges[2]).toMatchObject({ sourceHandle: "true" });
  });

  it("refuses circles, a node's line to itself and ends that are not there", () => {
    for (const edit of [connect("tell", "start"), connect("fetch", "fetch"), connect("fetch", "gone")])
      expect(edited(edit).canvas).toBe(canvas);
  });
});

describe("removing", () => {
  it("takes the lines of a node with it", () => {
    const state = edited({ type: "remove", nodeIds: ["fetch"], edgeIds: [] });
    expect([ids(state), lines(state)]).toEqual([["start", "tell"], []]);
  });

  it("leaves no step to undo when there is nothing to remove", () => {
    expect(edited({ type: "remove", nodeIds: ["gone"], edgeIds: [] }).past).toEqual([]);
  });
});

describe("copying", () => {
  it("keeps names, gives new ids and lets the copies speak of each other", () => {
    const state = edited({ type: "paste", clip: clipNodes(canvas, ["fetch", "tell"]) });
    expect(ids(state).slice(3)).toEqual(["fetch_2", "tell_2"]);
    expect(state.canvas.nodes[3]).toMatchObject({ name: "Fetch", position: at(340, 40) });
    expect(state.canvas.nodes[4]?.parameters).toEqual({ text: "{{ $nodes.fetch_2.first.title }} $nodes.fetcher" });
    expect(lines(state)[2]).toBe("fetch_2.out>tell_2");
    expect(state.select).toEqual(["fetch_2", "tell_2"]);
  });

  it("goes through the clipboard as text, to another canvas under the same ids", () => {
    const clip = readClip(writeClip(clipNodes(canvas, ["fetch"])));
    const state = editCanvas(startEditing({ nodes: [], edges: [] }), {
      type: "paste",
      clip: clip ?? canvas,
      at: at(100, 100),
    });
    expect(state.canvas.nodes).toEqual([{ ...canvas.nodes[1], position: at(100, 100) }]);
  });

  it("reads no other text, and nothing that could not be drawn", () => {
    expect(readClip("hello")).toBeUndefined();
    expect(readClip('{"nodes":[],"edges":[]}')).toBeUndefined();
    expect(readClip('{"format":"switchyard.nodes","nodes":[{"id":1}],"edges":[]}')).toBeUndefined();
    const odd = { id: "a", nodeId: "wait", name: { x: 1 }, position: { x: "left" } };
    expect(readClip(JSON.stringify({ format: "switchyard.nodes", nodes: [odd], edges: [] }))?.nodes).toEqual([
      { id: "a", nodeId: "wait" },
    ]);
  });
});

describe("undo and redo", () => {
  it("go back and forth over every kind of change", () => {
    const edits: Edit[] = [
      added("wait", { after: { nodeId: "tell", way: "out" } }),
      { type: "move", positions: { wait: at(0, 400) } },
      { type: "remove", nodeIds: ["start"], edgeIds: [] },
    ];
    const done = edited(...edits);
    const undone = edits.reduce((state) => editCanvas(state, { type: "undo" }), done);
    expect(undone.canvas).toBe(canvas);
    expect(edits.reduce((state) => editCanvas(state, { type: "redo" }), undone).canvas).toBe(done.canvas);
    expect(editCanvas(undone, { type: "undo" })).toBe(undone);
  });

  it("forget what was undone once something else is done", () => {
    const state = edited(
      { type: "move", positions: { start: at(10) } },
      { type: "undo" },
      { type: "move", positions: { start: at(20) } },
    );
    expect(editCanvas(state, { type: "redo" })).toBe(state);
  });

  it("take typing into a node as one step, until it pauses", () => {
    const typed = (text: string, atMs: number): Edit => ({
      type: "change",
      node: { id: "start", nodeId: "start", name: text },
      ways: { before: ["out"], after: ["out"] },
      atMs,
    });
    const state = edited(typed("B", 0), typed("Be", 500), typed("Begin", 900), typed("Begin here", 9000));
    const once = editCanvas(state, { type: "undo" });
    expect(once.canvas.nodes[0]?.name).toBe("Begin");
    expect(editCanvas(once, { type: "undo" }).canvas).toBe(canvas);
  });
});

describe("changing a node", () => {
  it("keeps the line of a way that gets another name", () => {
    const rules = (way: string) => ({ rules: [{ way, condition: "true" }] });
    const node = { id: "switch", nodeId: "switch", parameters: rules("dear") };
    const state = edited(
      added("switch"),
      { type: "connect", from: { nodeId: "switch", way: "cheap" }, target: "tell" },
      { type: "change", node, ways: { before: ["cheap", "otherwise"], after: ["dear", "otherwise"] }, atMs: 0 },
    );
    expect(lines(state)).toContain("switch.dear>tell");
  });

  it("leaves its id and what refers to it when its name changes", () => {
    const node = { ...(canvas.nodes[1] as Canvas["nodes"][number]), name: "Get page" };
    const state = edited({ type: "change", node, ways: { before: ["out"], after: ["out"] }, atMs: 0 });
    expect(ids(state)).toEqual(["start", "fetch", "tell"]);
    expect(lines(state)).toEqual(["start.out>fetch", "fetch.out>tell"]);
  });
});

describe("notes", () => {
  const note = { text: "Ask Ben", x: 0, y: 0, width: 240, height: 120 };
  const noted = (...edits: Edit[]) => edited({ type: "addNote", note }, ...edits);

  it("are added with a free id and selected as boxes, and stay whatever happens to nodes", () => {
    const state = noted(
      { type: "addNote", note },
      added("wait", { onEdge: "edge_1" }),
      { type: "remove", nodeIds: ["tell"], edgeIds: [] },
      { type: "change", node: { id: "start", nodeId: "start" }, ways: { before: [], after: [] }, atMs: 0 },
    );
    expect(noted().select).toEqual(["note:note_1"]);
    expect(state.canvas.notes).toEqual([
      { id: "note_1", ...note },
      { id: "note_2", ...note },
    ]);
  });

  it("are moved with nodes, changed by typing as one step, and removed without a trace", () => {
    const typed = (text: string, atMs: number): Edit => ({
      type: "changeNote",
      note: { id: "note_1", ...note, text },
      atMs,
    });
    const moved = noted({ type: "move", positions: { "note:note_1": at(40, 50), start: at(10) } });
    expect([moved.canvas.notes?.[0], moved.canvas.nodes[0]?.position]).toMatchObject([{ x: 40, y: 50 }, at(10)]);
    const state = noted(typed("A", 0), typed("As", 300));
    expect(editCanvas(state, { type: "undo" }).canvas.notes?.[0]?.text).toBe("Ask Ben");
    const gone = noted({ type: "remove", nodeIds: [], edgeIds: [], noteIds: ["note_1"] });
    expect([gone.canvas, gone.select]).toEqual([canvas, []]);
    expect(edited(typed("A", 0)).past).toEqual([]);
  });

  it("are copied with what lies on them, and through the clipboard", () => {
    const source = noted().canvas;
    const clip = readClip(writeClip(clipNodes(source, ["start"], ["note_1"]))) ?? source;
    const state = editCanvas(startEditing(source), { type: "paste", clip });
    expect(state.canvas.notes?.[1]).toEqual({ ...note, id: "note_2", x: 40, y: 40 });
    expect(state.select).toEqual(["start_2", "note:note_2"]);
    const alone = editCanvas(startEditing(source), { type: "paste", clip: clipNodes(source, [], ["note_1"]) });
    expect(alone.select).toEqual(["note:note_2"]);
  });

  it("are left out where they cannot be drawn", () => {
    const notes = [
      { id: "a", text: 5 },
      { id: "b", ...note, x: "left" },
      { id: "c", ...note },
    ];
    const text = JSON.stringify({ format: "switchyard.nodes", nodes: [], edges: [], notes });
    expect(readClip(text)?.notes).toEqual([{ id: "c", ...note }]);
  });
});
