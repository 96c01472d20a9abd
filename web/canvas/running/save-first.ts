import type { Editor } from "../editor/use-editor.ts";

const notRunnable = "The canvas is not saved, so it cannot run yet.";

/** What is done with the draft on the server must be done with the canvas that is seen; `words`: what to say where that is not saved. */
export async function saveFirst({ saving: { autosave } }: Editor, words = notRunnable): Promise<void> {
  if (await autosave.flush()) return;
  const state = autosave.state.get();
  throw state.kind === "refused" ? state.error : notSaved(words);
}

const notSaved = (message: string) =>
  Object.assign(new Error(message), { status: 400, code: "not_saved", requestId: undefined, errors: [] });
