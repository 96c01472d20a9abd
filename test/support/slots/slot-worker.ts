import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createLog } from "../../../src/base/log.ts";
import { Refusal } from "../../../src/base/refusal.ts";
import { createSlots } from "../../../src/slots/slots.ts";
import type { WorkerTask } from "./slot-processes.ts";

// A process that makes calls one after the other in several loops, each call in five steps, and asks before each whether it may.
const task = JSON.parse(process.argv[2] ?? "") as WorkerTask;
const capOf = async (ids: string[]) => new Map(ids.map((id) => [id, task.cap]));
const slots = createSlots({
  target: task.target,
  capOf,
  queueLimit: 1_000,
  log: createLog("error"),
  leaseMs: task.leaseMs,
});
await slots.start();
process.stdout.write("up\n");
const parent = new AbortController();
process.stdin.on("end", () => parent.abort()).resume();
await Promise.all(Array.from({ length: task.loops }, callInLoop));
// Now nothing must keep the process alive: it is expected to end by itself.
await slots.close();

async function callInLoop(): Promise<void> {
  const socket = connect(task.refereePort, "127.0.0.1").setNoDelay();
  await once(socket, "connect");
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  while (!parent.signal.aborted) {
    try {
      const slot = await slots.acquire(task.organizationId, { signal: parent.signal });
      try {
        for (let step = 0; step < 5; step++) {
          slot.assertHeld();
          // Leaves in the same moment: a pause between the question and the request would make the answer worthless.
          socket.write(`${process.pid}\n`);
          await answers.next();
        }
      } finally {
        slot.release();
      }
    } catch (error) {
      if (parent.signal.aborted) break;
      if (!(error instanceof Refusal)) throw error;
      await delay(20);
    }
  }
  socket.destroy();
}
