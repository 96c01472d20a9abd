/** The longest that a stop takes; whoever runs the server must wait at least as long before it kills. */
export const stopLimitMs = 30_000;
/** npm passes on a Ctrl-C that the terminal has sent already: two that come together are one. */
const secondAfterMs = 1_000;

type Options = {
  isRunByNpm: boolean;
  note: (reason: string) => void;
  limitMs?: number;
  /** Instead of a stop; at a terminal it means that the terminal is gone. */
  onHangUp?: (() => void) | undefined;
  /** Somebody pressed Ctrl-C again, because the stop takes too long. */
  onImpatience?: () => void;
};

/** Ends the process when it is told to, or when npm is gone; gives a way to do it for another reason. */
export function stopOnSignals(stop: () => Promise<void>, options: Options): (reason: string, code: number) => void {
  const { isRunByNpm, note, limitMs = stopLimitMs, onHangUp, onImpatience } = options;
  let since: number | undefined;
  const begin = (reason: string, code = 0) => {
    if (since !== undefined) return;
    since = performance.now();
    note(reason);
    setTimeout(() => process.exit(1), limitMs).unref();
    stop().then(
      () => process.exit(code),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", () => begin("SIGTERM"));
  process.on("SIGINT", () => {
    if (since !== undefined && performance.now() - since > secondAfterMs) onImpatience?.();
    begin("SIGINT");
  });
  const isAtTerminal = process.stdin.isTTY;
  process.on("SIGHUP", () => (onHangUp && !isAtTerminal ? onHangUp() : begin("SIGHUP")));
  // A signal to npm ends npm without reaching us: we notice that our parent is gone.
  // It also keeps a process alive that has nothing else to wait for, such as a worker without a door.
  const parent = process.ppid;
  setInterval(() => isRunByNpm && process.ppid !== parent && begin("npm is gone"), 500);
  return begin;
}

/** For a process with a supervisor, which hears everything that a terminal says to both, and decides. */
export function stopWhenToldBySupervisor(stop: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  process.once("SIGTERM", () => {
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
