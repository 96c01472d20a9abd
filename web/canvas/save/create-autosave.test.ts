import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { parseProblem, unreachable } from "../../problem.ts";
import { createAutosave } from "./create-autosave.ts";

type Canvas = Workflow["canvas"];
const canvasOf = (id: string): Canvas => ({ nodes: [{ id, nodeId: "wait" }], edges: [] });
const first = canvasOf("first");
const conflict = () => parseProblem(409, { code: "conflict", detail: "Somebody else has saved this workflow." });
const tooLarge = () => parseProblem(413, { code: "payload_too_large", detail: "It is too large." });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A server with one workflow that answers with what `answers` holds, then with success. */
function start({ answers = [] as unknown[] } = {}) {
  let published = { canvas: first, version: 3 };
  let draft: { canvas: Canvas; revision: number } | null = null;
  let revision = 0;
  const sent: { canvas: Canvas; version: number; revision: number | undefined }[] = [];
  const kept: (string | null)[] = [];
  const workflow = () => ({ ...published, draft: draft && { revision: draft.revision } }) as SavedWorkflow;
  const server = {
    saveDraft: (canvas: Canvas) => {
      draft = { canvas, revision: ++revision };
    },
    publish: (canvas = draft?.canvas ?? first) => {
      published = { canvas, version: published.version + 1 };
      draft = null;
    },
    publishBeside: (canvas: Canvas) => {
      published = { canvas, version: published.version + 1 };
    },
  };
  const current = () => ({
    canvas: draft?.canvas ?? published.canvas,
    version: published.version,
    revision: draft?.revision,
  });
  const autosave = createAutosave({
    saved: current(),
    save: async (canvas, base) => {
      sent.push({ canvas, version: base.version, revision: base.revision });
      const answer = answers.shift();
      if (answer) throw answer;
      if (base.version !== published.version || base.revision !== draft?.revision) throw conflict();
      server.saveDraft(canvas);
      return workflow();
    },
    load: async () => ({ ...current(), workflow: workflow() }),
    keepUnsaved: (unsaved) => kept.push(unsaved && (unsaved.canvas.nodes[0]?.id ?? "")),
    onSaved: () => undefined,
  });
  return { autosave, sent, kept, server, kind: () => autosave.state.get().kind, current, published: () => published };
}

describe("saving by itself", () => {
  it("waits for a pause, sends the last state once as a draft, and keeps nothing in the browser then", async () => {
    const { autosave, sent, kept, kind, published } = start();
    autosave.change(canvasOf("a"));
    await vi.advanceTimersByTimeAsync(900);
    autosave.change(canvasOf("b"));
    await vi.advanceTimersByTimeAsync(900);
    expect([sent, kind()]).toEqual([[], "changed"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([{ canvas: canvasOf("b"), version: 3, revision: undefined }]);
    expect([kept, kind()]).toEqual([["a", "b", null], "saved"]);
    expect(published()).toEqual({ canvas: first, version: 3 });
  });

  it("saves again what changed during a request, on the revision that came back", async () => {
    const { autosave, sent, kept, kind } = start();
    autosave.change(canvasOf("a"));
    const saving = autosave.flush();
    autosave.change(canvasOf("b"));
    await saving;
    expect([kind(), kept.at(-1)]).toEqual(["changed", "b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent.map(({ revision }) => revision)).toEqual([undefined, 1]);
    expect([kind(), kept.at(-1)]).toEqual(["saved", null]);
  });

  it("keeps in the browser what the server refuses, and goes on with the next change", async () => {
    const { autosave, kept, kind } = start({ answers: [tooLarge()] });
    autosave.change(canvasOf("a"));
    expect(await autosave.flush()).toBe(false);
    expect([kind(), kept]).toEqual(["refused", ["a"]]);
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
    const { autosave, sent, kept, kind } = start();
    autosave.change(canvasOf("a"));
    autosave.change(first);
    await vi.advanceTimersByTimeAsync(5000);
    expect([sent, kept.at(-1), kind()]).toEqual([[], null, "saved"]);
  });
});

describe("a draft that somebody else saved", () => {
  it("is not saved over, until that is asked for", async () => {
    const { autosave, server, sent, kind, current } = start();
    server.saveDraft(canvasOf("theirs"));
    autosave.change(canvasOf("mine"));
    expect(await autosave.flush()).toBe(false);
    expect(autosave.state.get()).toMatchObject({
      kind: "conflict",
      theirs: { canvas: canvasOf("theirs"), isDraft: true },
    });
    autosave.change(canvasOf("mine, further"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([sent.length, kind()]).toEqual([1, "conflict"]);
    await autosave.keepMine();
    expect([current().canvas, kind()]).toEqual([canvasOf("mine, further"), "saved"]);
  });

  it("can be taken instead", async () => {
    const { autosave, server, kept, kind, current } = start();
    server.saveDraft(canvasOf("theirs"));
    autosave.change(canvasOf("mine"));
    await autosave.flush();
    autosave.adopt(current());
    autosave.change(canvasOf("on it"));
    await autosave.flush();
    expect([kind(), kept]).toEqual(["saved", ["mine", null, "on it", null]]);
  });

  it("is no conflict when it is what was sent from here and the answer was lost", async () => {
    const { autosave, server, kind } = start({ answers: [unreachable()] });
    autosave.change(canvasOf("a"));
    await autosave.flush();
    server.saveDraft(canvasOf("a"));
    await vi.advanceTimersByTimeAsync(3000);
    expect(kind()).toBe("saved");
  });
});

describe("a version that somebody else published", () => {
  it("is no conflict when it is the draft from here: what comes then is the next draft", async () => {
    const { autosave, server, sent, kind, published } = start();
    autosave.change(canvasOf("a"));
    await autosave.flush();
    server.publish();
    autosave.change(canvasOf("b"));
    expect(await autosave.flush()).toBe(true);
    expect(sent.at(-1)).toEqual({ canvas: canvasOf("b"), version: 4, revision: undefined });
    expect([kind(), published().canvas]).toEqual(["saved", canvasOf("a")]);
  });

  it("is told when it is another canvas, although the draft is still the one from here", async () => {
    const { autosave, server, kind } = start();
    autosave.change(canvasOf("a"));
    await autosave.flush();
    server.publishBeside(canvasOf("theirs"));
    autosave.change(canvasOf("b"));
    expect(await autosave.flush()).toBe(false);
    expect(autosave.state.get()).toMatchObject({ theirs: { canvas: canvasOf("theirs"), version: 4, isDraft: false } });
    await autosave.keepMine();
    expect(kind()).toBe("saved");
  });
});
