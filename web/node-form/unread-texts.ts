import { isSameJson } from "./field-values.ts";

export type UnreadTexts = ReturnType<typeof createUnreadTexts>;

/** What was typed into fields but is no value yet, by the id of the field; kept while the form itself may be closed. */
export function createUnreadTexts() {
  const texts = new Map<string, { text: string; value: unknown }>();
  return {
    /** Nothing when the field has got another value in the meantime. */
    read(id: string, value: unknown): string | undefined {
      const kept = texts.get(id);
      return kept && isSameJson(kept.value, value) ? kept.text : undefined;
    },
    keep: (id: string, text: string, value: unknown): void => void texts.set(id, { text, value }),
    forget: (id: string): void => void texts.delete(id),
  };
}
