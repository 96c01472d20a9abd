import type { Workflow } from "../../../src/workflows/wire.ts";
import { browserStorage } from "../../browser-storage.ts";
import { readCanvas } from "../edit/read-clip.ts";

type Canvas = Workflow["canvas"];
export type Draft = { canvas: Canvas; version: number };

/** What a person changed on a canvas and could not save yet, kept in this browser. */
export function createDrafts(userId: string, workflowId: string) {
  const key = `switchyard.draft.${userId}.${workflowId}` as const;
  const textsKey = `${key}.texts` as const;
  return {
    /** What was typed into fields of nodes and is no value yet. */
    texts: {
      read: () => browserStorage.read(textsKey),
      write: (text: string | null) => browserStorage.write(textsKey, text),
    },

    write: (draft: Draft | null) => browserStorage.write(key, draft && JSON.stringify(draft)),

    /** One that says the same as what is saved is over: it was saved just before the page was left. */
    read(saved: Canvas): Draft | undefined {
      const text = browserStorage.read(key);
      if (text === null) return undefined;
      const draft = parseDraft(text);
      if (draft && JSON.stringify(draft.canvas) !== JSON.stringify(saved)) return draft;
      browserStorage.write(key, null);
      return undefined;
    },
  };
}

function parseDraft(text: string): Draft | undefined {
  try {
    const { canvas, version } = JSON.parse(text) as { canvas?: unknown; version?: unknown };
    const read = readCanvas(canvas);
    return read && typeof version === "number" ? { canvas: read, version } : undefined;
  } catch {
    return undefined;
  }
}
