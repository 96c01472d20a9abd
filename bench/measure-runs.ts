import { setTimeout as delay } from "node:timers/promises";
import { sendRequests } from "./send-requests.ts";

type Load = Omit<Parameters<typeof sendRequests>[0], "connections">;

/** Runs of one workflow that ended per second, from the first request to the last end, triggered over 64 connections. */
export async function measureRuns(server: { platformUrl: string }, load: Load): Promise<number> {
  const before = await countRuns(server);
  const startedAt = performance.now();
  const { count } = await sendRequests({ ...load, connections: 64 });
  for (;;) {
    const counted = await countRuns(server);
    if (counted.failed > before.failed) throw new Error("A run failed.");
    if (counted.ended - before.ended >= count) return count / ((performance.now() - startedAt) / 1_000);
    await delay(20);
  }
}

async function countRuns({ platformUrl }: { platformUrl: string }): Promise<{ ended: number; failed: number }> {
  const text = await (await fetch(`${platformUrl}/metrics`)).text();
  const lines = [...text.matchAll(/^switchyard_runs_ended_total\{([^}]*)\} (\d+)/gm)];
  const sum = (chosen: typeof lines) => chosen.reduce((total, [, , value]) => total + Number(value), 0);
  return { ended: sum(lines), failed: sum(lines.filter(([, labels]) => !labels?.includes("succeeded"))) };
}
