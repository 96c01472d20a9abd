import { endSentence } from "../base/end-sentence.ts";
import { Refusal } from "../base/refusal.ts";

/** For what a schema cannot say: names the parameter, so that the caller need not guess what the provider meant. Without a pointer the detail is all. */
export const refuseInput = (pointer: string, detail: string): Refusal =>
  new Refusal("validation_failed", endSentence(`${pointer.replace(/^\//, "")} ${detail}`), {
    errors: [{ pointer, detail }],
  });
