import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { getPriority, setPriority } from "node:os";
import path from "node:path";
import { codeExtension, codeFolder } from "../base/own-files.ts";
import type { Said } from "./evaluator-messages.ts";
import { createFrameReader } from "./frames.ts";

export type Evaluator = ReturnType<typeof startEvaluator>;

type Listener = { said: (message: Said, texts: string) => void; gone: () => void };

/** What a process used so far; of memory nothing is known where there is no /proc, and of time that of the clock. */
export type Usage = { processorMs: number; memoryBytes: number };

// A busy process whose server was killed notices nothing. The system ends it by then; the pool ends it long before.
const longestLifeProcessorSeconds = 60;
/** Beside a process of the usual priority it gets a tenth of the processor then. */
const stepBackBy = 10;
const lowestPriority = 19;
const hasShell = existsSync("/bin/sh");

/** A process that evaluates expressions. It has no environment, may read nothing but its own code, and ends when nobody listens. */
export function startEvaluator() {
  const child = startProcess();
  const pipe = child.stdio[3] as Socket;
  let listener: Listener | undefined;
  let isReady = false;
  let isGone = false;
  let isHeld = false;
  let frames: Buffer[] = [];

  const leave = (): void => {
    if (isGone) return;
    isGone = true;
    child.kill("SIGKILL");
    listener?.gone();
  };
  const hear = createFrameReader((message, texts) => {
    if ((message as Said).isReady) isReady = true;
    listener?.said(message as Said, texts);
  });
  child.on("error", leave).on("exit", leave);
  pipe.on("error", leave).on("close", leave);
  pipe.on("data", (piece: Buffer) => {
    try {
      hear(piece);
    } catch {
      leave();
    }
  });
  const flush = (): void => {
    const together = frames;
    frames = [];
    if (!isGone) pipe.write(together.length === 1 ? (together[0] as Buffer) : Buffer.concat(together));
  };
  holdOpen(child, pipe, false);

  return {
    get isReady() {
      return isReady;
    },
    get isGone() {
      return isGone;
    },
    listen(next: Listener): void {
      listener = next;
    },
    /** What is sent in one turn of the event loop is written at once. */
    send(frame: Buffer): void {
      if (frames.push(frame) === 1) setImmediate(flush);
    },
    /** Whether somebody waits for it, so that this process must not end. */
    hold(isNeeded: boolean): void {
      if (isNeeded !== isHeld) holdOpen(child, pipe, isNeeded);
      isHeld = isNeeded;
    },
    usage: (): Usage => readUsage(child.pid ?? 0),
    /** Lets everybody else go first. There is no way back. */
    stepBack(): void {
      try {
        setPriority(child.pid ?? 0, Math.min(getPriority() + stepBackBy, lowestPriority));
      } catch {
        // It has just ended, or the system does not allow it.
      }
    },
    end: leave,
  };
}

function holdOpen(child: ChildProcess, pipe: Socket, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    pipe.ref();
  } else {
    child.unref();
    pipe.unref();
  }
}

// In the package, where libraries are part of other files, it is beside the process that reads it.
const jsonataFile =
  codeExtension === ".ts"
    ? createRequire(import.meta.url).resolve("jsonata")
    : path.join(codeFolder, "expressions", "jsonata.js");

function startProcess(): ChildProcess {
  const mayRead = [codeFolder, path.dirname(jsonataFile)].map((folder) => `--allow-fs-read=${path.join(folder, "*")}`);
  const limits = [
    "--max-old-space-size=256",
    "--disallow-code-generation-from-strings",
    "--disable-warning=ExperimentalWarning",
  ];
  const words = ["--permission", ...mayRead, ...limits, ...(hasShell ? ["--stack-size=3000"] : [])];
  const command = [
    process.execPath,
    ...words,
    path.join(codeFolder, "expressions", `expression-process${codeExtension}`),
    jsonataFile,
  ];
  const limited = ["-c", `ulimit -t ${longestLifeProcessorSeconds}; ulimit -c 0; exec "$0" "$@"`, ...command];
  return spawn(hasShell ? "/bin/sh" : process.execPath, hasShell ? limited : command.slice(1), {
    // Nothing of this process, above all no secret of its environment, is within an expression's reach.
    env: {},
    cwd: path.parse(codeFolder).root,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
}

const pageBytes = 4096;
const tickMs = 10;

function readUsage(pid: number): Usage {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return {
      processorMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
      memoryBytes: Number(fields[21]) * pageBytes,
    };
  } catch {
    return { processorMs: performance.now(), memoryBytes: 0 };
  }
}
