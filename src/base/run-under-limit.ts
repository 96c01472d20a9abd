type Limit = {
  limitMs: number;
  /** The caller's. */
  signal?: AbortSignal;
  /** What it ends with at the limit. */
  tooLate: () => Error;
};

/** Ends at the limit or when the caller leaves, also when what it runs ignores its signal. */
export async function runUnderLimit<Value>(
  { limitMs, signal, tooLate }: Limit,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(tooLate()), limitMs);
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
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
