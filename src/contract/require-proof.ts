import { Refusal } from "../base/refusal.ts";

/** What shows that something was done, such as the id of what was made. An answer without it may come from anywhere, so it is no success. */
export function requireProof<Value>(provider: string, value: Value | undefined, name: string): Value {
  if (value !== undefined && value !== "") return value;
  const text = `The answer of ${provider} has no ${name}, so nothing shows that it was done.`;
  throw new Refusal("provider_error", text, { effect: "unknown" });
}
