import type { SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { isPassing, isStatus } from "../../problem.ts";
import { createCell } from "./create-cell.ts";

type Canvas = Workflow["canvas"];

/** What a change is made on: the published version, and the state of its draft; without one there is no revision. */
export type Base = { version: number; revision: number | undefined };
export type BasedCanvas = Base & { canvas: Canvas };

/** What the server has instead of what was expected: the draft, or what was published since the draft was begun. */
export type Theirs = BasedCanvas & { workflow: Workflow; isDraft: boolean };

export type SaveState =
  | { kind: "saved" }
  /** Changed; it is saved as soon as the changes pause. */
  | { kind: "changed" }
  | { kind: "saving" }
  /** Somebody else saved or published in the meantime. */
  | { kind: "conflict"; theirs: Theirs }
  /** The server is away; it is tried again. */
  | { kind: "offline" }
  | { kind: "refused"; error: unknown };

type Options = {
  saved: BasedCanvas;
  save: (canvas: Canvas, base: Base) => Promise<SavedWorkflow>;
  load: () => Promise<BasedCanvas & { workflow: Workflow }>;
  /** Keeps what is not saved yet; null: everything is saved. */
  keepUnsaved: (unsaved: BasedCanvas | null) => void;
  onSaved: (workflow: SavedWorkflow, canvas: Canvas) => void;
  pauseMs?: number;
  retryMs?: number;
};

export type Autosave = ReturnType<typeof createAutosave>;

/** Saves a canvas as a draft when its changes pause, one request at a time, and never over what somebody else saved. */
export function createAutosave({
  save,
  load,
  keepUnsaved,
  onSaved,
  pauseMs = 1000,
  retryMs = 3000,
  ...opened
}: Options) {
  let { saved } = opened;
  let canvas = saved.canvas;
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
    const outcome = await save(sent, saved).catch((error: unknown) => settle(error, sent, saved, { save, load }));
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

  function accept(sent: Canvas, { version, draft, ...answer }: SavedWorkflow): void {
    saved = { canvas: sent, version, revision: draft?.revision };
    onSaved({ ...answer, version, draft }, sent);
    keepUnsaved(canvas === sent ? null : { ...saved, canvas });
    if (canvas === sent) state.set({ kind: "saved" });
    else enterLater({ kind: "changed" }, pauseMs);
  }

  return {
    state,
    /** What the server has now. */
    load,

    /** What the last save left on the server: whatever else is there now was not seen here. */
    base: (): Base => ({ version: saved.version, revision: saved.revision }),

    /** What is on the canvas now. `base`: what it was made on, where that is not what was loaded. */
    change(next: Canvas, base: Base = saved): void {
      if (next === canvas) return;
      canvas = next;
      saved = { canvas: saved.canvas, version: base.version, revision: base.revision };
      const isSaved = next === saved.canvas && !request;
      keepUnsaved(isSaved ? null : { ...saved, canvas });
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
      saved = { canvas: saved.canvas, version: current.theirs.version, revision: current.theirs.revision };
      await send();
    },

    /** Goes on from what is saved elsewhere: after a conflict, or when something was published, discarded or brought back. */
    adopt(other: BasedCanvas): void {
      clearTimeout(timer);
      saved = other;
      canvas = other.canvas;
      keepUnsaved(null);
      state.set({ kind: "saved" });
    },

    /** The page is left. What could not be sent yet is sent now; the draft stays until it arrived. */
    close(): void {
      clearTimeout(timer);
      if (["changed", "offline"].includes(state.get().kind)) void send();
    },
  };
}

/** What somebody else is said to have saved may be what was sent from here, or what the change was made on. */
async function settle(
  error: unknown,
  sent: Canvas,
  base: BasedCanvas,
  { save, load }: Pick<Options, "save" | "load">,
): Promise<SaveState | SavedWorkflow> {
  if (!isStatus(error, 409)) return describeRefusal(error);
  try {
    const current = await load();
    if (isSame(current.canvas, sent)) return { ...current.workflow, warnings: [] };
    const isPublished = current.revision === undefined;
    if (isSame(current.canvas, base.canvas) && (isPublished || current.version === base.version))
      return await save(sent, current);
    return { kind: "conflict", theirs: chooseTheirs(current, base) };
  } catch (next) {
    return describeRefusal(next);
  }
}

const isSame = (one: Canvas, other: Canvas) => JSON.stringify(one) === JSON.stringify(other);

/** Where the draft is still the one from here, what came between is the version that was published. */
function chooseTheirs(current: BasedCanvas & { workflow: Workflow }, mine: Base): Theirs {
  const isDraft = current.revision !== undefined && current.revision !== mine.revision;
  return { ...current, canvas: isDraft ? current.canvas : current.workflow.canvas, isDraft };
}

const describeRefusal = (error: unknown): SaveState =>
  isPassing(error) ? { kind: "offline" } : { kind: "refused", error };
