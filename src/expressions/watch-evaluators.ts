import { Refusal } from "../base/refusal.ts";
import type { Usage } from "./evaluator.ts";
import type { Lane, Question } from "./lane.ts";

const limits = {
  processorMs: 1000,
  /** Of the clock, for a process that gets no processor at all. */
  waitMs: 30_000,
  startMs: 15_000,
  memoryBytes: 400_000_000,
  /** From then on everybody else goes first. */
  patienceMs: 200,
};
const everyMs = 50;

type Look = { question: Question; processorMs: number; atMs: number };

/**
 * Looks at the busy processes from outside, because one that searches for ever does not look at itself. The time of a question counts from the
 * first look at it: what takes no longer than that costs nothing.
 */
export function createWatch(busyLanes: () => Lane[]) {
  const looks = new WeakMap<Lane, Look>();
  const verdicts = new WeakMap<Lane, Refusal>();
  let timer: NodeJS.Timeout | undefined;

  const end = (lane: Lane, verdict: Refusal): void => {
    verdicts.set(lane, verdict);
    lane.evaluator?.end();
  };

  function judge(lane: Lane, { processorMs, memoryBytes }: Usage, nowMs: number): Refusal | undefined {
    if (memoryBytes > limits.memoryBytes) return tooMuchMemory();
    const [first] = lane.sent;
    if (!first) return undefined;
    const { question } = first;
    const before = looks.get(lane);
    if (before?.question !== question) {
      looks.set(lane, { question, processorMs, atMs: nowMs });
      return undefined;
    }
    const usedMs = processorMs - before.processorMs;
    if (usedMs > limits.processorMs || nowMs - before.atMs > limits.waitMs || question.isAbandoned) return tooSlow();
    if (usedMs > limits.patienceMs) lane.evaluator?.stepBack();
    return undefined;
  }

  function look(lane: Lane): void {
    const { evaluator } = lane;
    const nowMs = performance.now();
    if (!evaluator?.isReady) {
      if (nowMs - lane.heldSinceMs > limits.startMs) evaluator?.end();
      return;
    }
    const verdict = judge(lane, evaluator.usage(), nowMs);
    if (verdict) end(lane, verdict);
  }

  const lookAtAll = (): void => {
    const lanes = busyLanes();
    if (lanes.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const lane of lanes) look(lane);
  };

  return {
    start(): void {
      timer ??= setInterval(lookAtAll, everyMs).unref();
    },
    /** The question that is worked on begins only now. */
    restart(lane: Lane): void {
      looks.delete(lane);
    },
    /** Why the process of an organization ended. By itself it does so when it has no memory left. */
    reasonFor(lane: Lane): Refusal {
      const verdict = verdicts.get(lane) ?? tooMuchMemory();
      verdicts.delete(lane);
      looks.delete(lane);
      return verdict;
    },
  };
}

const tooSlow = (): Refusal =>
  new Refusal("expression_timeout", `The expression takes longer than ${limits.processorMs} ms of processor time.`);
const tooMuchMemory = (): Refusal => new Refusal("validation_failed", "The expression needs too much memory.");
