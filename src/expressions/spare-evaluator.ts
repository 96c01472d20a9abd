import { type Evaluator, startEvaluator } from "./evaluator.ts";

/** One process that has evaluated nothing yet, ready for whoever comes next. */
export function createSpare(afterMs: number) {
  let spare: Evaluator | undefined;
  let isPlanned = false;

  const prepare = (): void => {
    isPlanned = false;
    spare = startEvaluator();
  };
  return {
    take(): Evaluator {
      const taken = spare && !spare.isGone ? spare : startEvaluator();
      spare = undefined;
      // Not at once: starting one takes time that whoever asks waits for.
      if (!isPlanned) setTimeout(prepare, afterMs).unref();
      isPlanned = true;
      return taken;
    },
  };
}
