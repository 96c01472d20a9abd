import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ConnectionTarget } from "../../../src/storage/database.ts";

export type WorkerTask = {
  target: ConnectionTarget;
  organizationId: string;
  cap: number;
  leaseMs: number;
  refereePort: number;
  loops: number;
};

/** A provider that knows how many calls really run at once. A call takes its time there also when its caller is stopped or dead. */
export async function startReferee({ cap, callMs }: { cap: number; callMs: number }) {
  const seen = { running: 0, most: 0, calls: 0, overLimit: 0 };
  const runningOf = new Map<number, number>();
  const count = (pid: number, change: number) => {
    seen.running += change;
    runningOf.set(pid, (runningOf.get(pid) ?? 0) + change);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      const pid = Number(chunk.toString());
      seen.calls += 1;
      count(pid, 1);
      seen.most = Math.max(seen.most, seen.running);
      if (seen.running > cap) seen.overLimit += 1;
      setTimeout(() => {
        count(pid, -1);
        socket.write("done\n");
      }, callMs);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    seen,
    port: (server.address() as AddressInfo).port,
    /** Forgets the past and waits until the given number of calls run at once; returns how long it took. */
    async whenRunning(count: number, limitMs: number): Promise<number> {
      const startedAt = performance.now();
      seen.most = seen.running;
      while (seen.most < count) {
        if (performance.now() - startedAt > limitMs)
          throw new Error(`Only ${seen.most} calls at once after ${limitMs} ms.`);
        await delay(10);
      }
      return performance.now() - startedAt;
    },
    /** Stops these processes in a moment in which at least two of their calls run, and waits until these are done. */
    async stopDuringCalls(workers: ChildProcess[]): Promise<void> {
      const countRunning = () => workers.reduce((sum, { pid = 0 }) => sum + (runningOf.get(pid) ?? 0), 0);
      const signal = (name: NodeJS.Signals) => workers.forEach((worker) => void worker.kill(name));
      for (signal("SIGSTOP"); countRunning() < 2; signal("SIGSTOP")) {
        signal("SIGCONT");
        await delay(10 + Math.random() * 20);
      }
      while (countRunning() > 0) await delay(1);
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Processes that call as often as they get a slot. */
export async function startWorkers(count: number, task: WorkerTask): Promise<ChildProcess[]> {
  const script = fileURLToPath(new URL("./slot-worker.ts", import.meta.url));
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  return children;
}

/** Gently if they can, and in any case. */
export async function stopWorkers(children: ChildProcess[]): Promise<(number | null)[]> {
  return await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      const ended = once(child, "close");
      child.kill("SIGCONT");
      child.stdin?.end();
      await ended;
      clearTimeout(timer);
      return child.exitCode;
    }),
  );
}
