import { readFileSync } from "node:fs";
import type { Browser } from "./browser-client.ts";
import { password } from "./people.ts";
import { createDataDir, startServer } from "./spawned-server.ts";
import { createTestDatabase } from "./storage/test-database.ts";

export type AttackedServer = Awaited<ReturnType<typeof startAttackedServer>>;

const noLimits = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "1000000",
  RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000000",
  RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "1000000",
  RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "1000000",
};

/** Both doors in a process of their own, so that what an attack costs is not mixed with what sending it costs. */
export async function startAttackedServer(environment: Record<string, string> = {}) {
  const folder = createDataDir();
  const database = await createTestDatabase();
  const served = {
    DATABASE_URL: database.url,
    LOG_LEVEL: "error",
    DEPLOYMENT_MODE: "cloud",
    ...noLimits,
    ...environment,
  };
  const server = await startServer({ dataDir: folder.dataDir, environment: served });
  const owner = server.browser();
  const { organizationId } = await createOwner(owner);
  const path = `/api/organizations/${organizationId}`;
  const { body: key } = await owner.post(`${path}/api-keys`, {
    name: "attacker",
    scopes: ["workflows:trigger", "mcp:invoke"],
  });

  return {
    server,
    database,
    owner,
    organizationId,
    path,
    key: key.key as string,

    /** Since the last time it was asked. */
    async eventLoopLag(): Promise<{ p99Ms: number; mostMs: number }> {
      const text = await (await fetch(`${server.platformUrl}/metrics`)).text();
      const read = (name: string) =>
        Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, "m").exec(text)?.[1]) * 1000;
      return { p99Ms: read("p99"), mostMs: read("max") };
    },

    /** Of the whole life of the process. */
    peakMegabytes: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024,

    async stop(): Promise<void> {
      await server.stop();
      await database.drop();
      await folder.remove();
    },
  };
}

async function createOwner(browser: Browser): Promise<{ organizationId: string }> {
  const { status, body } = await browser.post("/api/setup", {
    name: "Ann",
    email: "ann@example.com",
    password,
    organizationName: "Ann's team",
  });
  if (status !== 201) throw new Error(`the first account was answered with ${status}`);
  return body;
}
