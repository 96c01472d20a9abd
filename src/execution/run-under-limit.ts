import { Refusal } from "../base/refusal.ts";

type Limit = { limitMs: number; signal: AbortSignal };

/** Ends at the limit or when the caller leaves, also when what it runs ignores its signal. */
export async function runUnderLimit<Value>({ limitMs, signal }: Limit, run: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Refusal("tool_timeout", `The tool took longer than ${limitMs / 1000} s.`)), limitMs);
  const either = AbortSignal.any([signal, deadline.signal]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(either.reason);
  either.addEventListener("abort", onAbort, { once: true });
  try {
    either.throwIfAborted();
    return await Promise.race([run(either), ended]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener("abort", onAbort);
  }
}
