import type { Suggestion } from "./expressions.ts";

/** What is being written at the caret. */
export type Draft = {
  /** Where it begins. */
  start: number;
  word: string;
  /** Whether it stands within braces, or the whole field is an expression. */
  isInside: boolean;
};

const wordBefore = /\$[\p{L}\p{N}_.$[\]`-]*$/u;

/** The beginning of a reference before the caret; undefined where none is being written. */
export function findDraft(text: string, caret: number, isBare: boolean): Draft | undefined {
  const before = text.slice(0, caret);
  const isInside = isBare || before.lastIndexOf("{{") > before.lastIndexOf("}}");
  const word = wordBefore.exec(before)?.[0];
  if (word !== undefined) return { start: caret - word.length, word, isInside };
  // Right behind the braces everything can follow.
  return isInside && /\{\{\s*$/.test(before) ? { start: caret, word: "", isInside } : undefined;
}

const mostOffered = 50;

/** What fits the word: first what begins with it, then what contains it. */
export function offer(suggestions: readonly Suggestion[], word: string): Suggestion[] {
  const wanted = word.toLowerCase();
  const beginning = suggestions.filter(({ text }) => text.toLowerCase().startsWith(wanted));
  const rest = wanted.replace("$", "");
  const containing =
    rest.length < 3
      ? []
      : suggestions.filter(({ text }) => !text.toLowerCase().startsWith(wanted) && text.toLowerCase().includes(rest));
  const found = [...beginning, ...containing].slice(0, mostOffered);
  return found.length === 1 && found[0]?.text === word ? [] : found;
}

export type Written = { text: string; caret: number };

/** Writes a suggestion in the place of the draft; in a text it is put into braces. */
export function complete(text: string, draft: Draft, caret: number, suggestion: string): Written {
  const before = text.slice(0, draft.start);
  const after = text.slice(caret);
  if (!draft.isInside) return put(`${before}{{ `, suggestion, ` }}${after}`);
  const inBraces = before.lastIndexOf("{{") > before.lastIndexOf("}}");
  const gap = inBraces && before.endsWith("{{") ? " " : "";
  const end = !inBraces || isClosed(after) ? "" : " }}";
  return put(before + gap, suggestion, end + after);
}

function put(before: string, suggestion: string, after: string): Written {
  // The caret goes between the brackets of a function.
  const length = suggestion.endsWith("()") ? suggestion.length - 1 : suggestion.length;
  return { text: before + suggestion + after, caret: before.length + length };
}

const isClosed = (after: string): boolean => {
  const end = after.indexOf("}}");
  return end !== -1 && !after.slice(0, end).includes("{{");
};

/** Writes a reference where the caret is, as completion would. */
export function insertReference(text: string, caret: number, reference: string, isBare: boolean): Written {
  const draft = findDraft(text, caret, isBare) ?? {
    start: caret,
    word: "",
    isInside: isBare || isWithinBraces(text, caret),
  };
  return complete(text, draft, caret, reference);
}

function isWithinBraces(text: string, caret: number): boolean {
  const before = text.slice(0, caret);
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}
