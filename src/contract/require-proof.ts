import { providerFailure } from "./http.ts";

/** What shows that something was done, such as the id of what was made. An answer without it may come from anywhere, so it is no success. */
export function requireProof<Value>(provider: string, value: Value | undefined, name: string): Value {
  if (value !== undefined && value !== "") return value;
  throw providerFailure(provider, { message: `The answer has no ${name}, so nothing shows that it was done. Look before you try again.` });
}
