import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { codeExtension, codeFolder } from "../base/own-files.ts";
import { Refusal } from "../base/refusal.ts";
import { isSameText } from "../base/same-text.ts";

export type HashQuestion = { password: string; salt: string };
export type HashAnswer = string;

export type PasswordHashing = ReturnType<typeof createPasswordHashing>;

/** Whoever is last of them waits for about a second. */
const mostWaiting = 16;
const idleMs = 10_000;

type Task = { question: HashQuestion; resolve: (answer: HashAnswer) => void; reject: (error: Error) => void };

/** A hash needs a whole core and much memory: at least one core is left to everybody else, whatever the priorities of threads are worth. */
const chooseThreads = (): number => Math.max(1, Math.min(2, availableParallelism() - 1));

/**
 * Hashes passwords, at most two at a time and each in a thread of its own. Node's own threads, which `scrypt` would use, are the ones that look up
 * names: many who sign in would hold up everything that is sent anywhere.
 */
export function createPasswordHashing({ mostAtOnce = chooseThreads() } = {}) {
  const idle: HashThread[] = [];
  const waiting: Task[] = [];
  let started = 0;

  function next(thread: HashThread): void {
    const task = waiting.shift();
    if (task) thread.work(task);
    else idle.push(thread);
  }

  function start(task: Task): void {
    started += 1;
    const thread = startThread({
      onFree: () => next(thread),
      onLeave: () => idle.splice(idle.indexOf(thread), 1),
      onGone() {
        started -= 1;
        const left = waiting.shift();
        if (left) start(left);
      },
    });
    thread.work(task);
  }

  const derive = (question: HashQuestion): Promise<HashAnswer> =>
    new Promise((resolve, reject) => {
      const task = { question, resolve, reject };
      const thread = idle.pop();
      if (thread) thread.work(task);
      else if (started < mostAtOnce) start(task);
      else if (waiting.length < mostWaiting) waiting.push(task);
      else reject(tooMany());
    });

  return {
    /** Before anything else is done for somebody who would have to be refused. */
    requireRoom(): void {
      if (waiting.length >= mostWaiting) throw tooMany();
    },

    async hash(password: string): Promise<string> {
      const salt = randomBytes(16).toString("hex");
      return `${salt}:${await derive({ password, salt })}`;
    },

    async verify({ hash, password }: { hash: string; password: string }): Promise<boolean> {
      const [salt, key] = hash.split(":");
      if (!salt || !key) throw new Error("a stored password is not in the form salt:key");
      return isSameText(await derive({ password, salt }), key);
    },

    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((thread) => thread.end()));
    },
  };
}

const tooMany = () =>
  new Refusal("rate_limited", "Too many people are signing in right now. Try again in a second.", {
    headers: { "Retry-After": "1" },
  });

type HashThread = ReturnType<typeof startThread>;

type ThreadEvents = {
  onFree: () => void /** From now on it takes no work. */;
  onLeave: () => void;
  onGone: () => void;
};

/** Ends after a while without work: it takes a few megabytes. */
function startThread({ onFree, onLeave, onGone }: ThreadEvents) {
  // It needs nothing from its surroundings, and should see no secret of theirs.
  const worker = new Worker(path.join(codeFolder, "identity", `password-thread${codeExtension}`), {
    env: {},
    execArgv: [],
  });
  let current: Task | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure = new Error("the thread that hashes passwords ended");

  const leave = (): void => {
    onLeave();
    void worker.terminate();
  };
  worker.on("message", (answer: HashAnswer) => {
    const done = current;
    current = undefined;
    // Without work it holds up no process that wants to end.
    worker.unref();
    timer = setTimeout(leave, idleMs).unref();
    done?.resolve(answer);
    onFree();
  });
  worker.on("error", (error: Error) => (failure = error));
  worker.on("exit", () => {
    clearTimeout(timer);
    current?.reject(failure);
    onGone();
  });

  return {
    work(task: Task): void {
      clearTimeout(timer);
      current = task;
      worker.ref();
      worker.postMessage(task.question);
    },
    async end(): Promise<void> {
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}
