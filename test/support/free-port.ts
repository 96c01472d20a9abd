import { createServer } from "node:net";

// Below the ports that the system gives to outgoing connections: one of those could take a port between the probe and its use.
const range = { first: 12_000, size: 2_000 };
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % 9;
let next = Math.floor(Math.random() * range.size);

/** A port of this test worker's own that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.first + worker * range.size + (next++ % range.size);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "localhost", () => probe.close(() => resolve(true)));
  });
}
