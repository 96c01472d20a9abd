import type { Workflow } from "../../../src/workflows/wire.ts";
import { browserStorage } from "../../browser-storage.ts";
import { readCanvas } from "../edit/read-clip.ts";
import type { BasedCanvas } from "./create-autosave.ts";

type Canvas = Workflow["canvas"];

/** What a person changed on a canvas and could not reach the server yet, kept in this browser. */
export function createUnsaved(userId: string, workflowId: string) {
  const key = `switchyard.draft.${userId}.${workflowId}` as const;
  const textsKey = `${key}.texts` as const;
  return {
    /** What was typed into fields of nodes and is no value yet. */
    texts: {
      read: () => browserStorage.read(textsKey),
      write: (text: string | null) => browserStorage.write(textsKey, text),
    },

    write: (unsaved: BasedCanvas | null) => browserStorage.write(key, unsaved && JSON.stringify(unsaved)),

    /** One that says the same as what is saved is over: it was saved just before the page was left. */
    read(saved: Canvas): BasedCanvas | undefined {
      const text = browserStorage.read(key);
      if (text === null) return undefined;
      const unsaved = parseUnsaved(text);
      if (unsaved && JSON.stringify(unsaved.canvas) !== JSON.stringify(saved)) return unsaved;
      browserStorage.write(key, null);
      return undefined;
    },
  };
}

function parseUnsaved(text: string): BasedCanvas | undefined {
  try {
    const { canvas, version, revision } = JSON.parse(text) as Record<string, unknown>;
    const read = readCanvas(canvas);
    if (!read || typeof version !== "number") return undefined;
    return { canvas: read, version, revision: typeof revision === "number" ? revision : undefined };
  } catch {
    return undefined;
  }
}
