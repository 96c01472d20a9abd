import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { edges, node, type RunAnswer, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

/** The one call that a run may make at a time keeps the others waiting for their turn. */
const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", TASK_RUNNER_MAX_CALLS: "1" };
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let github: CountingProvider;
let ann: WorkflowApp;

beforeAll(async () => {
  [database, github] = await Promise.all([createTestDatabase(), startCountingProvider()]);
  // Takes no runs itself: it is only there to be asked.
  ann = await startWorkflowApp({ database, environment, roles: ["platform"] });
  await useGithub(ann, github.url);
});
afterAll(async () => {
  await ann?.stop();
  await github?.stop();
  await database?.drop();
});
beforeEach(() => github.forget());

const titles = () => github.requests.map(({ title }) => title);

async function startWorker() {
  const worker = await startTestApp({ database, environment, roles: ["worker"] });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { stop };
}

const saveEach = (list: string[], settings: object = {}) =>
  ann.save(
    [node("list", "loop", { list: JSON.stringify(list) }), issue("each", "{{ $input.value }}", { settings })],
    edges("list>each"),
  );

const given = ({ nodes }: RunAnswer) => nodes.find(({ id }) => id === "each")?.outputs?.map(({ title }) => title);

describe("the items of a node", () => {
  it("that a process has not begun when it stops are done by another one, each once", async () => {
    const first = await startWorker();
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await saveEach(["1", "2", "3", "4"]));
    await github.whenRunning(1, 5_000);
    const stopped = first.stop();
    await delay(300);
    release();
    await stopped;
    expect(titles()).toEqual(["1"]);
    await startWorker();
    const run = await ann.ended(body.id);
    expect(run).toMatchObject({ status: "succeeded", nodes: [{}, { attempts: 1, items: { done: 4, total: 4 } }] });
    expect(given(run)).toEqual(["1", "2", "3", "4"]);
    expect(titles()).toEqual(["1", "2", "3", "4"]);
  });

  it("are kept where they worked, although the next one found its process stopping when its turn came", async () => {
    const first = await startWorker();
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await saveEach(["1", "2", "3"], { itemsAtOnce: 2 }));
    await github.whenRunning(1, 5_000);
    const stopped = first.stop();
    await delay(300);
    release();
    await stopped;
    expect(titles()).toEqual(["1"]);
    await startWorker();
    const run = await ann.ended(body.id);
    expect(run.status).toBe("succeeded");
    expect(given(run)).toEqual(["1", "2", "3"]);
    expect(titles()).toEqual(["1", "2", "3"]);
  });

  it("are not done again where one ended the node and its end could not be stored", async () => {
    const allow = await refuseEnds();
    const first = await startWorker();
    const releaseLost = github.hold();
    onTestFinished(releaseLost);
    github.plan("Lost", ["drop"]);
    const { body } = await ann.trigger(await saveEach(["Lost", "Slow"], { itemsAtOnce: 2 }));
    await expect.poll(titles, { timeout: 5_000 }).toEqual(["Lost"]);
    // Until it waits where it is held, so that the next is held by itself.
    await delay(100);
    const releaseSlow = github.hold();
    onTestFinished(releaseSlow);
    releaseLost();
    await expect.poll(titles, { timeout: 5_000 }).toEqual(["Lost", "Slow"]);
    // So long that it is stored how far the node is when the second one ends.
    await delay(1_200);
    releaseSlow();
    await expect.poll(async () => (await progressOf(body.id))?.done, { timeout: 5_000 }).toBe(1);
    expect((await progressOf(body.id))?.under_way).toBe("[0]");
    await first.stop();
    await allow();
    await startWorker();
    await database.query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [body.id]);
    const run = await ann.ended(body.id);
    expect(run).toMatchObject({ status: "failed", error: { code: "interrupted", nodeId: "each" } });
    expect(titles().sort()).toEqual(["Lost", "Slow"]);
  });
});

async function progressOf(runId: string) {
  const text = "SELECT done, under_way FROM run_node WHERE run_id = $1 AND node_id = 'each'";
  return (await database.query<{ done: number; under_way: string | null }>(text, [runId]))[0];
}

/** No node can be stored as failed, until it is told to let go. */
async function refuseEnds(): Promise<() => Promise<unknown>> {
  await database.query(`CREATE FUNCTION refuse_ends() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.status = 'failed' THEN RAISE EXCEPTION 'no'; END IF;
      RETURN NEW;
    END $$`);
  await database.query(
    "CREATE TRIGGER refuse_ends BEFORE INSERT OR UPDATE ON run_node FOR EACH ROW EXECUTE FUNCTION refuse_ends()",
  );
  const allow = () => database.query("DROP FUNCTION IF EXISTS refuse_ends CASCADE");
  onTestFinished(async () => void (await allow()));
  return allow;
}
