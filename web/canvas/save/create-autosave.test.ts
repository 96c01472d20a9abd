import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { parseProblem, unreachable } from "../../problem.ts";
import { createAutosave } from "./create-autosave.ts";

type Canvas = Workflow["canvas"];
const canvasOf = (id: string): Canvas => ({ nodes: [{ id, nodeId: "wait" }], edges: [] });
const first = canvasOf("first");
const conflict = () => parseProblem(409, { code: "conflict", detail: "Somebody else has saved this workflow." });
const faulty = () =>
  parseProblem(400, {
    code: "validation_failed",
    errors: [{ pointer: "/canvas/nodes/0/nodeId", detail: "is nothing" }],
  });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A server with one workflow that answers with what `answers` holds, then with success. */
function start({ answers = [] as unknown[] } = {}) {
  let stored = { canvas: first, version: 3 };
  const sent: { canvas: Canvas; expectedVersion: number }[] = [];
  const drafts: (string | null)[] = [];
  const server = { put: (canvas: Canvas) => (stored = { canvas, version: stored.version + 1 }) };
  const autosave = createAutosave({
    workflow: stored,
    save: async (canvas, expectedVersion) => {
      sent.push({ canvas, expectedVersion });
      const answer = answers.shift();
      if (answer) throw answer;
      if (expectedVersion !== stored.version) throw conflict();
      return server.put(canvas) as SavedWorkflow;
    },
    load: async () => stored as Workflow,
    keepDraft: (draft) => drafts.push(draft && (draft.canvas.nodes[0]?.id ?? "")),
    onSaved: () => undefined,
  });
  return { autosave, sent, drafts, server, kind: () => autosave.state.get().kind, stored: () => stored };
}

describe("saving by itself", () => {
  it("waits for a pause, sends the last state once and drops the draft", async () => {
    const { autosave, sent, drafts, kind } = start();
    autosave.change(canvasOf("a"));
    await vi.advanceTimersByTimeAsync(900);
    autosave.change(canvasOf("b"));
    await vi.advanceTimersByTimeAsync(900);
    expect([sent, kind()]).toEqual([[], "changed"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([{ canvas: canvasOf("b"), expectedVersion: 3 }]);
    expect([drafts, kind()]).toEqual([["a", "b", null], "saved"]);
  });

  it("saves again what changed during a request, on the version that came back", async () => {
    const { autosave, sent, drafts, kind } = start();
    autosave.change(canvasOf("a"));
    const saving = autosave.flush();
    autosave.change(canvasOf("b"));
    await saving;
    expect([kind(), drafts.at(-1)]).toEqual(["changed", "b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent.map(({ expectedVersion }) => expectedVersion)).toEqual([3, 4]);
    expect([kind(), drafts.at(-1)]).toEqual(["saved", null]);
  });

  it("keeps the draft and names the faults of a canvas that cannot be saved", async () => {
    const { autosave, drafts } = start({ answers: [faulty()] });
    autosave.change(canvasOf("a"));
    expect(await autosave.flush()).toBe(false);
    expect(autosave.state.get()).toEqual({
      kind: "faulty",
      canvas: canvasOf("a"),
      faults: [{ pointer: "/canvas/nodes/0/nodeId", detail: "is nothing" }],
    });
    expect(drafts).toEqual(["a"]);
    autosave.change(canvasOf("b"));
    expect(await autosave.flush()).toBe(true);
  });

  it("tries again while the server is away", async () => {
    const { autosave, sent, kind } = start({ answers: [unreachable(), unreachable()] });
    autosave.change(canvasOf("a"));
    await vi.advanceTimersByTimeAsync(1000);
    expect(kind()).toBe("offline");
    await vi.advanceTimersByTimeAsync(6000);
    expect([sent.length, kind()]).toEqual([3, "saved"]);
  });

  it("is done with the old state when a change is taken back before it was sent", async () => {
    const { autosave, sent, drafts, kind } = start();
    autosave.change(canvasOf("a"));
    autosave.change(first);
    await vi.advanceTimersByTimeAsync(5000);
    expect([sent, drafts.at(-1), kind()]).toEqual([[], null, "saved"]);
  });
});

describe("a workflow that somebody else saved", () => {
  it("is not saved over, until that is asked for", async () => {
    const { autosave, server, sent, kind, stored } = start();
    server.put(canvasOf("theirs"));
    autosave.change(canvasOf("mine"));
    expect(await autosave.flush()).toBe(false);
    expect(kind()).toBe("conflict");
    autosave.change(canvasOf("mine, further"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([sent.length, kind()]).toEqual([1, "conflict"]);
    await autosave.keepMine();
    expect([stored().canvas, kind()]).toEqual([canvasOf("mine, further"), "saved"]);
  });

  it("can be taken instead", async () => {
    const { autosave, server, drafts, kind } = start();
    const theirs = server.put(canvasOf("theirs"));
    autosave.change(canvasOf("mine"));
    await autosave.flush();
    autosave.adopt(theirs);
    autosave.change(canvasOf("on it"));
    await autosave.flush();
    expect([kind(), drafts]).toEqual(["saved", ["mine", null, "on it", null]]);
  });

  it("is no conflict when it is what was sent from here and the answer was lost", async () => {
    const { autosave, server, kind } = start({ answers: [unreachable()] });
    autosave.change(canvasOf("a"));
    await autosave.flush();
    server.put(canvasOf("a"));
    await vi.advanceTimersByTimeAsync(3000);
    expect(kind()).toBe("saved");
  });
});
