import { listProcesses } from "./processes.ts";
import type { SpawnedServer } from "./spawned-server.ts";

/** The process numbers of the servers below a supervisor; they were started with its own words. */
export const childrenOf = (supervisor: number): number[] =>
  listProcesses()
    .filter(({ parent, command }) => parent === supervisor && /\bmain\.(ts|js) serve\b/.test(command))
    .map(({ pid }) => pid);

/** Values of one metric by the number of the process, as one of the processes tells them of all. */
export async function measuredBy(baseUrl: string, metric: string, door?: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${baseUrl}/metrics`, { headers: { connection: "close" } })).text();
  const sums: Record<string, number> = {};
  for (const [, labels = "", value] of text.matchAll(new RegExp(`^${metric}{(.*)} (.*)$`, "gm"))) {
    if (door !== undefined && !labels.includes(`door="${door}"`)) continue;
    const process = /\bprocess="(\w+)"/.exec(labels)?.[1] ?? "none";
    sums[process] = (sums[process] ?? 0) + Number(value);
  }
  return sums;
}

/** Whether this door answers a new connection. */
export const answers = (baseUrl: string): Promise<string> =>
  fetch(`${baseUrl}/livez`, { headers: { connection: "close" }, signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => String(status),
    (error: Error) => String(error.cause ?? error),
  );

/** A log line of the server by its message. */
export const linesSaying = ({ output }: Pick<SpawnedServer, "output">, message: string): Record<string, unknown>[] =>
  output.stderr
    .split("\n")
    .filter((line) => line.includes(`"msg":"${message}`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
