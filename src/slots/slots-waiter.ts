export type Waiter<Value> = ReturnType<typeof createWaiter<Value>>;

export type SlotKind = "call" | "run";

type WaiterOptions<Value> = {
  kind: SlotKind;
  signal: AbortSignal;
  sinceMs: number;
  onPosition: ((position: number) => void) | undefined;
  onLeave: (waiter: Waiter<Value>) => void;
};

/** Somebody in a queue. Ends granted, refused, or by leaving when its signal aborts; afterwards nothing listens any more. */
export function createWaiter<Value>({ kind, signal, sinceMs, onPosition, onLeave }: WaiterOptions<Value>) {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let toldPosition = 0;
  const leave = () => {
    onLeave(waiter);
    reject(signal.reason);
  };
  signal.addEventListener("abort", leave, { once: true });
  const waiter = {
    kind,
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
      try {
        onPosition?.(position);
      } catch (error) {
        onLeave(waiter);
        waiter.refuse(error);
      }
    },
  };
  return waiter;
}
