import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { startCountingProvider } from "../providers/counting-provider.ts";
import { createDataDir, type SpawnedServer, startServer } from "../spawned-server.ts";
import { createTestDatabase } from "../storage/test-database.ts";
import { busySettings, testKeys } from "../test-settings.ts";
import { edges, node, startWorkflowApp } from "./workflow-app.ts";

export type RunPair = Awaited<ReturnType<typeof startRunPair>>;

const everything = "platform,gateway,worker";

/** Two whole servers, or others, as processes of their own on one database, and a workflow whose every node a provider counts. */
export async function startRunPair({
  roles = [everything, everything],
  environment: given = {},
}: {
  roles?: string[];
  environment?: Record<string, string>;
} = {}) {
  const folder = createDataDir();
  const [database, provider] = await Promise.all([createTestDatabase(), startCountingProvider()]);
  const environment = { ...busySettings, SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "8" };
  // Takes no runs itself: it is only there to be asked.
  const ann = await startWorkflowApp({ database, roles: ["platform"], environment });
  const { organizationId } = ann.owner;
  const data = { kind: "bearer", accessToken: "token", baseUrl: provider.url };
  const { id } = await ann.app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
  await ann.app.parts.vault.defaults.set({ organizationId, apiKeyId: null, type: "github" }, id);
  const issue = (nodeId: string) =>
    node(
      nodeId,
      "github_create_issue",
      { owner: "acme", repo: "site", title: `{{ $trigger.prompt }} ${nodeId}` },
      { settings: { repeatAfterInterruption: true } },
    );
  const nodeIds = ["first", "left", "right", "last"];
  const workflowId = await ann.save(nodeIds.map(issue), edges("first>left", "first>right", "left>last", "right>last"));
  const served = { ...environment, ...testKeys, DATABASE_URL: database.url, ...given };
  const start = (ports?: SpawnedServer["ports"], ofRoles = everything) =>
    startServer({ dataDir: folder.dataDir, roles: ofRoles, environment: served, ...(ports ? { ports } : {}) });
  const servers: SpawnedServer[] = [];
  for (const ofRoles of roles) servers.push(await start(undefined, ofRoles));

  return {
    ann,
    database,
    provider,
    servers,
    start,
    nodeIds,
    workflowId,

    /** Asks one of the servers for a run. Undefined when it is gone, and then nobody knows. */
    async trigger(server: SpawnedServer, body: object): Promise<{ status: number; body: { id: string } } | undefined> {
      const headers = { "x-api-key": ann.key, "content-type": "application/json" };
      const request = fetch(`${server.platformUrl}/task-runner/trigger/${workflowId}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return await request
        .then(async (response) => ({ status: response.status, body: (await response.json()) as { id: string } }))
        .catch(() => undefined);
    },

    /** Titles whose node is stored as finished. */
    async listFinished(): Promise<string[]> {
      const rows = await database.query<{ title: string }>(
        `SELECT (run.trigger_data::json ->> 'prompt') || ' ' || node.node_id AS title
         FROM run_node AS node JOIN run ON run.id = node.run_id WHERE node.status = 'succeeded'`,
      );
      return rows.map(({ title }) => title);
    },

    /** How each of the runs stands, once all have ended or the time is up. */
    async statuses(ids: string[], limitMs: number): Promise<string[]> {
      const untilMs = performance.now() + limitMs;
      for (;;) {
        const rows = await database.query<{ status: string }>("SELECT status FROM run WHERE id = ANY ($1::uuid[])", [
          ids,
        ]);
        const open = rows.filter(({ status }) => !["succeeded", "failed", "cancelled"].includes(status)).length;
        if (open === 0 || performance.now() > untilMs) return rows.map(({ status }) => status);
        await delay(100);
      }
    },

    nonce: () => randomUUID(),

    async stop(): Promise<void> {
      await Promise.all(servers.map((server) => server.kill()));
      await ann.stop();
      await provider.stop();
      await database.drop();
      await folder.remove();
    },
  };
}
