import { Refusal } from "../base/refusal.ts";
import { type Evaluator, startEvaluator } from "./evaluator.ts";
import type { ExpressionAnswer, Said } from "./evaluator-messages.ts";
import { writeFrame } from "./frames.ts";
import { type Asked, createLane, type Lane, type Question } from "./lane.ts";
import { createSpare } from "./spare-evaluator.ts";
import { createWatch } from "./watch-evaluators.ts";

type Limits = {
  /** At once, the one that is ready for the next organization not counted. */
  processes: number;
  idleMs: number;
  /** How long an organization keeps its process while others have none. */
  turnMs: number;
  /** Written ahead, so that a process need not wait for the next question. */
  sentQuestions: number;
  sentCharacters: number;
  retireProcessorMs: number;
  spareAfterMs: number;
};

const usual: Limits = {
  processes: 8,
  idleMs: 30_000,
  turnMs: 200,
  sentQuestions: 256,
  sentCharacters: 1_000_000,
  retireProcessorMs: 30_000,
  spareAfterMs: 50,
};

type Pool = {
  limits: Limits;
  /** By organization: those that have questions or a process. */
  lanes: Map<string, Lane>;
  /** In the order in which they get the next process that is free. */
  queue: Lane[];
  spares: ReturnType<typeof createSpare>;
  watch: ReturnType<typeof createWatch>;
  nextId: number;
};

/**
 * Processes that evaluate expressions, each for one organization from its first question to its end. An organization has one, and those
 * that have none take turns when there are more of them than processes.
 */
export function createEvaluatorPool(changed: Partial<Limits> = {}) {
  const limits = { ...usual, ...changed };
  const lanes = new Map<string, Lane>();
  const watch = createWatch(() => [...lanes.values()].filter(({ evaluator, sent }) => evaluator && sent.length > 0));
  const pool: Pool = { limits, lanes, watch, queue: [], spares: createSpare(limits.spareAfterMs), nextId: 0 };

  return {
    async ask(organizationId: string, asked: Asked): Promise<ExpressionAnswer[]> {
      asked.signal?.throwIfAborted();
      const lane = laneOf(pool, organizationId.toLowerCase());
      const { promise, resolve, reject } = Promise.withResolvers<ExpressionAnswer[]>();
      const question: Question = { ...asked, settle: resolve, fail: reject, isAbandoned: false };
      const leave = (): void => {
        question.isAbandoned = true;
        lane.waiting = lane.waiting.filter((one) => one !== question);
        reject(asked.signal?.reason as Error);
      };
      asked.signal?.addEventListener("abort", leave, { once: true });
      lane.waiting.push(question);
      pump(pool, lane);
      try {
        return await promise;
      } finally {
        asked.signal?.removeEventListener("abort", leave);
      }
    },
  };
}

function laneOf({ lanes }: Pool, organizationId: string): Lane {
  const lane = lanes.get(organizationId) ?? createLane(organizationId);
  lanes.set(organizationId, lane);
  return lane;
}

/** Does whatever can be done next for an organization: takes a process, gives it back, or sends what there is room for. */
function pump(pool: Pool, lane: Lane): void {
  if (!lane.evaluator && lane.waiting.length > 0) takeProcess(pool, lane);
  if (!lane.evaluator) return;
  if (!mustYield(pool, lane)) send(pool, lane, lane.evaluator);
  else if (lane.sent.length === 0) giveBack(pool, lane);
}

/** Its process is to end, or others have none and this one is not needed or had its turn. */
function mustYield({ queue, limits }: Pool, { heldSinceMs, isRetiring, waiting }: Lane): boolean {
  return isRetiring || (queue.length > 0 && (waiting.length === 0 || performance.now() - heldSinceMs > limits.turnMs));
}

function send(pool: Pool, lane: Lane, evaluator: Evaluator): void {
  while (hasRoom(pool, lane)) {
    const question = lane.waiting.shift() as Question;
    const id = pool.nextId++;
    lane.sent.push({ id, question });
    lane.sentCharacters += question.data.length;
    const { expressions, isCheck, data } = question;
    evaluator.send(writeFrame({ id, expressions, ...(isCheck ? { isCheck } : {}) }, data));
  }
  const isBusy = lane.sent.length > 0;
  evaluator.hold(isBusy);
  if (isBusy) pool.watch.start();
}

function hasRoom({ limits }: Pool, { waiting: [next], sent, sentCharacters }: Lane): boolean {
  if (!next || sent.length >= limits.sentQuestions) return false;
  return sent.length === 0 || sentCharacters + next.data.length <= limits.sentCharacters;
}

function takeProcess(pool: Pool, lane: Lane): void {
  const held = [...pool.lanes.values()].filter(({ evaluator }) => evaluator);
  if (held.length >= pool.limits.processes) {
    const [idle] = held.filter(({ sent }) => sent.length === 0).sort((one, other) => one.usedAtMs - other.usedAtMs);
    if (idle) endProcess(pool, idle);
    else if (!pool.queue.includes(lane)) pool.queue.push(lane);
    if (!idle) return;
  }
  // The spare is for others: one that loses process after process would take it from them each time.
  const evaluator = lane.hasLost ? startEvaluator() : pool.spares.take();
  const nowMs = performance.now();
  Object.assign(lane, { evaluator, heldSinceMs: nowMs, usedAtMs: nowMs, isRetiring: false });
  evaluator.listen({
    said: (said, texts) => hear(pool, lane, { said, texts }),
    gone: () => lose(pool, lane, evaluator),
  });
  endWhenIdle(pool, lane, evaluator);
}

function endWhenIdle(pool: Pool, lane: Lane, evaluator: Evaluator): void {
  const look = (): void => {
    if (lane.evaluator !== evaluator) return;
    const restMs = lane.usedAtMs + pool.limits.idleMs - performance.now();
    if (lane.sent.length === 0 && restMs <= 0) endProcess(pool, lane);
    else setTimeout(look, Math.max(restMs, 100)).unref();
  };
  setTimeout(look, pool.limits.idleMs).unref();
}

function endProcess({ lanes }: Pool, lane: Lane): void {
  const { evaluator } = lane;
  lane.evaluator = undefined;
  evaluator?.end();
  if (lane.waiting.length === 0) lanes.delete(lane.organizationId);
}

/** Ends the process of an organization, which queues up again if it has questions, and lets the next one have another. */
function giveBack(pool: Pool, lane: Lane): void {
  if (lane.waiting.length > 0) pool.queue.push(lane);
  endProcess(pool, lane);
  const next = pool.queue.shift();
  if (next) pump(pool, next);
}

function hear(pool: Pool, lane: Lane, { said, texts }: { said: Said; texts: string }): void {
  if (said.hasBegun) pool.watch.restart(lane);
  const [first] = lane.sent;
  if (!said.answers || first?.id !== said.id) return;
  lane.sent.shift();
  lane.sentCharacters -= first?.question.data.length ?? 0;
  lane.usedAtMs = performance.now();
  if ((said.usedMs ?? 0) > pool.limits.retireProcessorMs) lane.isRetiring = true;
  first?.question.settle(readAnswers(said.answers, texts));
  pump(pool, lane);
}

/** The first question is what ended it. The others have done nothing wrong and are asked again. */
function lose(pool: Pool, lane: Lane, evaluator: Evaluator): void {
  if (lane.evaluator !== evaluator) return;
  const [first, ...others] = lane.sent.splice(0);
  lane.sentCharacters = 0;
  lane.hasLost = true;
  lane.waiting.unshift(...others.map(({ question }) => question).filter(({ isAbandoned }) => !isAbandoned));
  first?.question.fail(
    evaluator.isReady ? pool.watch.reasonFor(lane) : new Error("the process for expressions did not start"),
  );
  giveBack(pool, lane);
}

export const refuseExpression = (reason: string): Refusal =>
  new Refusal("validation_failed", `The expression ${reason}.`);

function readAnswers(told: NonNullable<Said["answers"]>, texts: string): ExpressionAnswer[] {
  let at = 0;
  return told.map(({ length, fault }) => {
    if (fault !== undefined) return { fault };
    if (length === undefined) return {};
    at += length;
    return { json: texts.slice(at - length, at) };
  });
}
