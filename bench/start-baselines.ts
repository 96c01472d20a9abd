import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/support/free-port.ts";
import { killAll, listTree } from "../test/support/processes.ts";

export type Baseline = { url: string; pid: number; stop: () => Promise<void> };

/** The tools of `system` on the official SDK, in a process of its own. */
export async function startSdk(): Promise<Baseline> {
  const child = spawn(process.execPath, ["bench/sdk-server.ts"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `${String(line).trim()}/mcp`, pid: child.pid ?? 0, stop: () => killAll(listTree(child.pid ?? 0)) };
}

const readyLimitMs = 30_000;

/** The same tools as a program behind `mcp-proxy`, which speaks HTTP for it. */
export async function startProxy(): Promise<Baseline> {
  const port = await freePort();
  const proxy = fileURLToPath(import.meta.resolve("mcp-proxy/dist/bin/mcp-proxy.mjs"));
  const words = ["--port", String(port), "--host", "localhost", "--server", "stream", "--stateless"];
  const program = [process.execPath, "bench/sdk-stdio-server.ts"];
  const child = spawn(process.execPath, [proxy, ...words, "--", ...program], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const stop = () => killAll(listTree(child.pid ?? 0));
  const deadline = performance.now() + readyLimitMs;
  while (!(await isThere(port))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error("mcp-proxy did not start.");
    }
    await delay(50);
  }
  return { url: `http://localhost:${port}/mcp`, pid: child.pid ?? 0, stop };
}

const isThere = (port: number): Promise<boolean> =>
  fetch(`http://localhost:${port}/ping`).then(
    () => true,
    () => false,
  );
