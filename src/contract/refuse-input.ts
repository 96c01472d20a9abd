import { Refusal } from "../base/refusal.ts";

/** For what a schema cannot say: names the parameter, so that the caller need not guess what the provider meant. */
export const refuseInput = (pointer: string, detail: string): Refusal =>
  new Refusal("validation_failed", `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] });
