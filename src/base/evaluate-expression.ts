import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { longestExpression } from "./expression-fault.ts";
import { toStorableText } from "./json.ts";
import { codeExtension, codeFolder } from "./own-files.ts";
import { Refusal } from "./refusal.ts";

type Surroundings = {
  /** What the expression is applied to: `$`. */
  input: unknown;
  /** Further variables by name, without the dollar. */
  bindings?: Record<string, unknown>;
  signal?: AbortSignal | undefined;
};

/** What expression-process.ts answers for each expression: JSON text, nothing, or what is wrong with it. */
export type ExpressionAnswer = { json?: string; fault?: string };

/** The value, undefined when the expression finds nothing, or what is wrong with the expression. */
export type Evaluated = { value: unknown; fault?: undefined } | { fault: string };

const limits = { inputLength: 10_000_000, timeMs: 1000, startMs: 15_000, idleMs: 30_000, processes: 4 };

/**
 * The value of a JSONata expression, or undefined when it finds nothing. Whatever cannot be evaluated is refused with the reason.
 * Expressions run in processes of their own, because a search pattern can run for ever and one long text can exhaust the memory:
 * a thread of this process could be stopped, but its exhausted memory would end this process too.
 */
export async function evaluateExpression(expression: string, surroundings: Surroundings): Promise<unknown> {
  const [evaluated] = await evaluateExpressions([expression], surroundings);
  if (evaluated?.fault !== undefined) throw refuse(`failed: ${evaluated.fault}`);
  return evaluated?.value;
}

/** Several expressions in one go, under the limits of one: what is too long, too large or too slow is refused as a whole. */
export async function evaluateExpressions(expressions: string[], { input, bindings = {}, signal }: Surroundings): Promise<Evaluated[]> {
  if (expressions.some(({ length }) => length > longestExpression)) throw refuse(`is longer than ${longestExpression} characters`);
  const question = JSON.stringify({ expressions, input, bindings });
  if (question.length > limits.inputLength) throw refuse(`was given more than ${limits.inputLength} characters of data`);
  const evaluator = await takeProcess(signal);
  try {
    return (await ask(evaluator, question, signal)).map(readAnswer);
  } finally {
    giveBack(evaluator);
  }
}

function readAnswer({ json, fault }: ExpressionAnswer): Evaluated {
  if (fault !== undefined) return { fault };
  if (json === undefined) return { value: undefined };
  // Text functions can cut a character in half, and no record holds that.
  return { value: JSON.parse(/\\u(?:0000|d)/.test(json) ? toStorableText(JSON.parse(json)).text : json) as unknown };
}

const refuse = (reason: string) => new Refusal("validation_failed", `The expression ${reason}.`);

/** With the timer that ends each of them. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();
const waiting: (() => void)[] = [];
let taken = 0;

async function takeProcess(signal: AbortSignal | undefined): Promise<ChildProcess> {
  while (taken >= limits.processes) await waitForTurn(signal);
  signal?.throwIfAborted();
  taken++;
  try {
    return takeIdle() ?? (await startProcess(signal));
  } catch (error) {
    freePlace();
    throw error;
  }
}

/** The one used last, so that those a rush of expressions started come to their end. */
function takeIdle(): ChildProcess | undefined {
  for (const [child, timer] of [...idle].reverse()) {
    clearTimeout(timer);
    idle.delete(child);
    if (!child.connected) continue;
    child.ref();
    child.channel?.ref();
    return child;
  }
  return undefined;
}

async function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  waiting.push(wake);
  signal?.addEventListener("abort", wake);
  await promise;
  signal?.removeEventListener("abort", wake);
  signal?.throwIfAborted();
}

function freePlace(): void {
  taken--;
  // All of them, because a single one may just be leaving.
  for (const wake of waiting.splice(0)) wake();
}

async function startProcess(signal: AbortSignal | undefined): Promise<ChildProcess> {
  const child = fork(join(codeFolder, "base", `expression-process${codeExtension}`), [], {
    // Nothing of this process, above all no secret of its environment, is within an expression's reach.
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Whoever waits for the process hears of it; an idle one that cannot be reached is not taken again.
  child.on("error", () => {});
  try {
    await hear(child, { signal, limitMs: limits.startMs });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error("the process for expressions did not start", { cause: error });
  }
  return child;
}

function giveBack(child: ChildProcess): void {
  freePlace();
  if (child.killed || !child.connected) return;
  child.unref();
  child.channel?.unref();
  const end = () => {
    idle.delete(child);
    child.kill("SIGKILL");
  };
  idle.set(child, setTimeout(end, limits.idleMs).unref());
}

async function ask(child: ChildProcess, question: string, signal: AbortSignal | undefined): Promise<ExpressionAnswer[]> {
  child.send(question, () => {});
  return (await hear(child, { signal, limitMs: limits.timeMs })) as ExpressionAnswer[];
}

/** The next message of a process. A process that does not say it in time is ended. */
async function hear(child: ChildProcess, { signal, limitMs }: { signal: AbortSignal | undefined; limitMs: number }): Promise<unknown> {
  const heard = new AbortController();
  const until = { signal: heard.signal };
  try {
    const [message] = (await Promise.race([
      once(child, "message", until),
      once(child, "exit", until).then(() => Promise.reject(refuse("needs too much memory"))),
      delay(limitMs, undefined, until).then(() => Promise.reject(refuse(`takes longer than ${limitMs} ms`))),
      ...(signal ? [once(signal, "abort", until).then(() => Promise.reject(signal.reason as Error))] : []),
    ])) as [unknown];
    return message;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    heard.abort();
  }
}
