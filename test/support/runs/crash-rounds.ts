import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "../browser-client.ts";
import { killAll, listPostgres, listTree } from "../processes.ts";
import { createDataDir, type SpawnedServer, startServer } from "../spawned-server.ts";

const connections = 8;
const password = "correct horse battery";

/** Kills server and database at random moments while API keys are created, and counts the acknowledged ones that are not there afterwards. */
export async function runCrashRounds(rounds: number) {
  const { dataDir, remove } = createDataDir();
  const acknowledged = new Set<string>();
  let server = await startServer({ dataDir });
  try {
    const { ports } = server;
    const { browser, path } = await signUp(server);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const before = acknowledged.size;
      const writers = Array.from({ length: connections }, () => createKeys(browser, path, acknowledged));
      while (acknowledged.size === before) await delay(5);
      await delay(Math.random() * 1000);
      await killAll([...new Set([...listTree(server.pid), ...listPostgres(dataDir)])]);
      await Promise.all([...writers, server.ended]);
      server = await startServer({ dataDir, ports });
      lost = countMissing(acknowledged, await browser.get(path));
      if (lost > 0) break;
    }
    return { rounds, acknowledged: acknowledged.size, lost };
  } finally {
    await server.stop();
    await remove();
  }
}

/** The first account, and where its keys are. */
export async function signUp(server: SpawnedServer) {
  const browser = server.browser();
  const request = { name: "Ann", email: "ann@example.com", password, organizationName: "Team" };
  const { status, body } = await browser.post("/api/setup", request);
  if (status !== 201) throw new Error(`the first account could not be made: ${status}`);
  return { browser, path: `/api/organizations/${body.organizationId}/api-keys` };
}

/** One after the other until the server is gone. */
export async function createKeys(browser: Browser, path: string, acknowledged: Set<string>): Promise<void> {
  try {
    for (;;) {
      const { status, body } = await browser.post(path, { name: "key", scopes: ["mcp:invoke"] });
      if (status === 201) acknowledged.add(body.id);
      // The database may be killed a moment before the server that speaks of it.
      else if (status !== 503) throw new Error(`creating a key answered ${status}`);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

export function countMissing(acknowledged: Set<string>, { status, body }: Awaited<ReturnType<Browser["get"]>>): number {
  if (status !== 200) throw new Error(`listing the keys answered ${status}`);
  const found = new Set((body.data as { id: string }[]).map(({ id }) => id));
  return [...acknowledged].filter((id) => !found.has(id)).length;
}
