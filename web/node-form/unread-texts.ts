import { isSameJson } from "./field-values.ts";

export type UnreadTexts = ReturnType<typeof createUnreadTexts>;

/** Where the texts outlive the page. */
type Store = { read: () => string | null; write: (text: string | null) => void };

type Kept = { text: string; value: unknown };

/** What was typed into fields but is no value yet, by the id of the field; kept while the form itself may be closed. */
export function createUnreadTexts(store: Store = nowhere) {
  const texts = parseTexts(store.read());
  const write = () => store.write(texts.size === 0 ? null : JSON.stringify([...texts]));
  return {
    /** Nothing when the field has got another value in the meantime. */
    read(id: string, value: unknown): string | undefined {
      const kept = texts.get(id);
      return kept && isSameJson(kept.value, value) ? kept.text : undefined;
    },
    keep(id: string, text: string, value: unknown): void {
      texts.set(id, { text, value });
      write();
    },
    forget(id: string): void {
      if (texts.delete(id)) write();
    },
  };
}

const nowhere: Store = { read: () => null, write: () => undefined };

function parseTexts(written: string | null): Map<string, Kept> {
  try {
    const entries: unknown = JSON.parse(written ?? "[]");
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

const isEntry = (entry: unknown): entry is [string, Kept] =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof (entry[1] as Partial<Kept> | null)?.text === "string";
