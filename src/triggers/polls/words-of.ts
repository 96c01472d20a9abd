import { endSentence } from "../../base/end-sentence.ts";
import { Refusal } from "../../base/refusal.ts";
import { toStorableLine } from "../../records/payload.ts";

const longestWords = 1_000;

/** What a trigger says of what went wrong. */
export function wordsOf(failure: unknown): string {
  const words = failure instanceof Refusal ? failure.message : "The look failed; the log of the server says more.";
  return toStorableLine(endSentence(words), longestWords);
}
