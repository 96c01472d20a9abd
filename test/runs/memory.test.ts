import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createDataDir, type SpawnedServer, startServer } from "../support/spawned-server.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { testKeys } from "../support/test-settings.ts";

const folder = createDataDir();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let ann: WorkflowApp;
let worker: SpawnedServer;

/** A process with less memory than a run gives in all. */
beforeAll(async () => {
  database = await createTestDatabase();
  ann = await startWorkflowApp({ database, roles: ["platform"] });
  const environment = { ...testKeys, DATABASE_URL: database.url, NODE_OPTIONS: "--max-old-space-size=160" };
  worker = await startServer({ dataDir: folder.dataDir, roles: "platform,gateway,worker", environment });
});
afterAll(async () => {
  await worker?.stop();
  await ann?.stop();
  await database?.drop();
  await folder.remove();
});

const millionLetters = "x".repeat(1_000_000);
const fourMillion = "{{ $trigger.prompt }}{{ $trigger.prompt }}{{ $trigger.prompt }}{{ $trigger.prompt }}";
const large = (id: string) => node(id, "set_fields", { fields: { text: fourMillion }, keepOthers: false });
const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);

/** Not by reading the run, which is as large as its outputs. */
async function followRun(workflowId: string) {
  const { status, body } = await ann.trigger(workflowId, { runtimePrompt: millionLetters });
  expect(status).toBe(202);
  const read = async () => {
    const text =
      "SELECT status, error_code AS code, error_message AS message, error_node_id AS node, epoch FROM run WHERE id = $1";
    return (await database.query<Record<string, unknown>>(text, [body.id]))[0];
  };
  await expect
    .poll(async () => (await read())?.status, { timeout: 120_000, interval: 250 })
    .toMatch(/^(succeeded|failed)$/);
  const text = "SELECT outputs FROM run_node WHERE run_id = $1 AND node_id = 'last'";
  const [last] = await database.query<{ outputs: string }>(text, [body.id]);
  return { run: await read(), last: last && JSON.parse(last.outputs) };
}

describe("a run that gives more than its process has memory", () => {
  it("ends as any other, and its nodes still see what the first one gave", { timeout: 150_000 }, async () => {
    const last = node("last", "set_fields", {
      fields: { length: "{{ $length($nodes.n0.first.text) }}" },
      keepOthers: false,
    });
    const inRow = [...ids.slice(1).map((id, index) => `n${index}>${id}`), "n59>last"];
    const { run, last: given } = await followRun(await ann.save([...ids.map(large), last], edges(...inRow)));
    expect(run).toMatchObject({ status: "succeeded", epoch: expect.any(Number) });
    expect(given).toEqual({ out: [{ length: 4_000_000 }] });
    expect(worker.child.exitCode).toBe(null);
  });

  it("fails with clear words where one node would get all of it", { timeout: 150_000 }, async () => {
    const twelve = ids.slice(0, 12);
    const inRow = twelve.slice(1).map((id, index) => `n${index}>${id}`);
    const { run } = await followRun(
      await ann.save(
        [...twelve.map(large), node("last", "merge", {})],
        edges(...inRow, ...twelve.map((id) => `${id}>last`)),
      ),
    );
    expect(run).toMatchObject({ status: "failed", code: "outputs_too_large", node: "last" });
    expect(run?.message).toMatch(/^The node would get more than \d+ MB from other nodes\. Pass on less/);
    expect(worker.child.exitCode).toBe(null);
  });
});
