import type { Editor } from "../editor/use-editor.ts";

/** A run takes the draft that is saved; it must be the canvas that is seen. */
export async function saveFirst({ saving: { autosave } }: Editor): Promise<void> {
  if (await autosave.flush()) return;
  const state = autosave.state.get();
  if (state.kind === "refused") throw state.error;
  throw notSaved("The canvas is not saved, so it cannot run yet.");
}

const notSaved = (message: string) =>
  Object.assign(new Error(message), { status: 400, code: "not_saved", requestId: undefined, errors: [] });
