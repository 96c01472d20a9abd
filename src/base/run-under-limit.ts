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
  signal?.throwIfAborted();
  // One controller that both reasons abort: `AbortSignal.any` costs more than a quick tool.
  const stop = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    reject(reason);
    stop.abort(reason);
  };
  const leave = () => end(signal?.reason);
  const timer = setTimeout(() => end(tooLate()), limitMs);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([run(stop.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}
