import { setImmediate as endOfTurn } from "node:timers/promises";

const longestTurnMs = 20;

export type Pause = ReturnType<typeof createPause>;

/** To be awaited again and again within long work: whatever else waits for this process goes first when the work has lasted a while. */
export function createPause() {
  let began = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - began < longestTurnMs) return;
    await endOfTurn();
    began = performance.now();
  };
}
