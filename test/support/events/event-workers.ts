import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ConnectionTarget } from "../../../src/storage/database.ts";

export type EventWorkerTask = { target: ConnectionTarget; masterKey: string; leaseMs: number };

/** A process of its own that delivers events. `kill` is a crash. */
export async function startEventWorker(task: EventWorkerTask) {
  const file = fileURLToPath(new URL("./event-worker.ts", import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(task)], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    async kill(): Promise<void> {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
