import type { SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { type FieldFault, isApiProblem, isPassing, isStatus } from "../../problem.ts";
import { createCell } from "./create-cell.ts";

type Canvas = Workflow["canvas"];

export type SaveState =
  | { kind: "saved" }
  /** Changed; it is saved as soon as the changes pause. */
  | { kind: "changed" }
  | { kind: "saving" }
  /** The faults are those of this canvas; it may have been changed since. */
  | { kind: "faulty"; faults: FieldFault[]; canvas: Canvas }
  /** Somebody else saved in the meantime. */
  | { kind: "conflict"; theirs: Workflow }
  /** The server is away; it is tried again. */
  | { kind: "offline" }
  | { kind: "refused"; error: unknown };

type Options = {
  workflow: Pick<Workflow, "canvas" | "version">;
  save: (canvas: Canvas, expectedVersion: number) => Promise<SavedWorkflow>;
  load: () => Promise<Workflow>;
  /** Keeps what is not saved yet; null: everything is saved. */
  keepDraft: (draft: { canvas: Canvas; version: number } | null) => void;
  onSaved: (workflow: SavedWorkflow, canvas: Canvas) => void;
  pauseMs?: number;
  retryMs?: number;
};

export type Autosave = ReturnType<typeof createAutosave>;

/** Saves a canvas when its changes pause, one request at a time, and never over what somebody else saved. */
export function createAutosave({ workflow, save, load, keepDraft, onSaved, pauseMs = 1000, retryMs = 3000 }: Options) {
  let saved = workflow;
  let canvas = workflow.canvas;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: Promise<void> | undefined;
  const state = createCell<SaveState>({ kind: "saved" });

  function send(): Promise<void> {
    clearTimeout(timer);
    request ??= sendNow().finally(() => {
      request = undefined;
    });
    return request;
  }

  async function sendNow(): Promise<void> {
    const sent = canvas;
    state.set({ kind: "saving" });
    const outcome = await save(sent, saved.version).catch((error: unknown) => settleRefusal(sent, error, load));
    if ("version" in outcome) accept(sent, outcome);
    else if (outcome.kind === "offline") enterLater(outcome, retryMs);
    else if (outcome.kind !== "conflict" && canvas !== sent) enterLater({ kind: "changed" }, pauseMs);
    else state.set(outcome);
  }

  function enterLater(next: SaveState, waitMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void send(), waitMs);
    state.set(next);
  }

  function accept(sent: Canvas, answer: SavedWorkflow): void {
    saved = { canvas: sent, version: answer.version };
    onSaved(answer, sent);
    keepDraft(canvas === sent ? null : { canvas, version: saved.version });
    if (canvas === sent) state.set({ kind: "saved" });
    else enterLater({ kind: "changed" }, pauseMs);
  }

  return {
    state,

    /** What is on the canvas now. `version`: of the saved canvas it was made from, where that is not the one loaded. */
    change(next: Canvas, version = saved.version): void {
      if (next === canvas) return;
      canvas = next;
      saved = { ...saved, version };
      const isSaved = next === saved.canvas && !request;
      keepDraft(isSaved ? null : { canvas, version });
      if (state.get().kind === "conflict" || request) return;
      if (isSaved) this.adopt(saved);
      else enterLater({ kind: "changed" }, pauseMs);
    },

    /** Saves at once what is not saved yet; tells whether everything is. */
    async flush(): Promise<boolean> {
      if (request) await request;
      if (!["saved", "conflict"].includes(state.get().kind)) await send();
      return state.get().kind === "saved";
    },

    /** The way out of a conflict. */
    async keepMine(): Promise<void> {
      const current = state.get();
      if (current.kind !== "conflict") return;
      saved = { ...saved, version: current.theirs.version };
      await send();
    },

    /** Goes on from what is saved elsewhere: after a conflict, or when an old version was restored. */
    adopt(other: Pick<Workflow, "canvas" | "version">): void {
      clearTimeout(timer);
      saved = other;
      canvas = other.canvas;
      keepDraft(null);
      state.set({ kind: "saved" });
    },

    /** The page is left. What could not be sent yet is sent now; the draft stays until it arrived. */
    close(): void {
      clearTimeout(timer);
      if (["changed", "offline"].includes(state.get().kind)) void send();
    },
  };
}

/** Where an answer was lost, what somebody else is said to have saved is what was sent from here. */
async function settleRefusal(sent: Canvas, error: unknown, load: Options["load"]): Promise<SaveState | SavedWorkflow> {
  if (!isStatus(error, 409)) return describeRefusal(sent, error);
  try {
    const theirs = await load();
    const isMine = JSON.stringify(theirs.canvas) === JSON.stringify(sent);
    return isMine ? { ...theirs, warnings: [] } : { kind: "conflict", theirs };
  } catch (loadError) {
    return describeRefusal(sent, loadError);
  }
}

function describeRefusal(canvas: Canvas, error: unknown): SaveState {
  if (isPassing(error)) return { kind: "offline" };
  return isApiProblem(error) && error.errors.length > 0
    ? { kind: "faulty", faults: error.errors, canvas }
    : { kind: "refused", error };
}
