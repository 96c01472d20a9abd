export type Waiter<Value> = ReturnType<typeof createWaiter<Value>>;

type WaiterOptions<Value> = {
  signal: AbortSignal;
  sinceMs: number;
  onPosition: ((position: number) => void) | undefined;
  onAbort: (waiter: Waiter<Value>) => void;
};

/** Somebody in a queue. Ends in one of three ways: granted, refused, or its signal aborted; afterwards nothing listens any more. */
export function createWaiter<Value>({ signal, sinceMs, onPosition, onAbort }: WaiterOptions<Value>) {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let toldPosition = 0;
  const leave = () => {
    onAbort(waiter);
    reject(signal.reason);
  };
  signal.addEventListener("abort", leave, { once: true });
  const waiter = {
    sinceMs,
    promise,
    grant(value: Value): void {
      signal.removeEventListener("abort", leave);
      resolve(value);
    },
    refuse(error: unknown): void {
      signal.removeEventListener("abort", leave);
      reject(error);
    },
    tellPosition(position: number): void {
      if (position === toldPosition) return;
      toldPosition = position;
      onPosition?.(position);
    },
  };
  return waiter;
}
