import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { Refusal } from "../../src/base/refusal.ts";
import { createRunList } from "../../src/runs/read/run-list.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { roundsOf } from "../support/rounds.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { checkParallelCalls } from "../support/runs/parallel-calls.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => ({ ann, github } = made), { environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "20" } });

const titles = () => github.requests.map(({ title }) => title);
const query = <Row extends object>(text: string, values: unknown[] = []) => ann.app.database.query<Row>(text, values);

/** The run is handed out anew, as when the process that has it fell silent. */
const handOut = (runId: string) =>
  query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [runId]);

const nodeOf = async (runId: string, nodeId: string) =>
  (
    await query<{ status: string; done: number }>(
      "SELECT status, done FROM run_node WHERE run_id = $1 AND node_id = $2",
      [runId, nodeId],
    )
  )[0];

const cancel = (runId: string) => ann.owner.browser.post(`${ann.path}/runs/${runId}/cancel`);

/** Until a statement of somebody waits for a lock. */
const whenBlocked = (like: string) => {
  const text = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1 AND datname = current_database()`;
  return expect.poll(async () => (await query(text, [like])).length, { timeout: 1_500, interval: 10 }).toBe(1);
};

/** Keeps a table for itself until it is told to let go. */
async function lock(statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(ann.app.database.url);
  await client.connect();
  await client.query("BEGIN");
  await client.query(statement);
  const release = async () => await client.end();
  onTestFinished(release);
  return release;
}

type Refused = { status?: string; nodes?: string; seconds?: number };

/** None of these nodes can be stored with this status, until it is told to let go. It may take a while until that is refused. */
async function refuseEnds({
  status = "succeeded",
  nodes = ".",
  seconds = 0,
}: Refused = {}): Promise<() => Promise<unknown>> {
  await query(`CREATE FUNCTION refuse_ends() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.status = '${status}' AND NEW.node_id ~ '${nodes}' THEN PERFORM pg_sleep(${seconds}); RAISE EXCEPTION 'no'; END IF;
      RETURN NEW;
    END $$`);
  const allow = () => query("DROP FUNCTION IF EXISTS refuse_ends CASCADE");
  onTestFinished(async () => void (await allow()));
  await query(
    "CREATE TRIGGER refuse_ends BEFORE INSERT OR UPDATE ON run_node FOR EACH ROW EXECUTE FUNCTION refuse_ends()",
  );
  return allow;
}

const whenTakenUp = (runId: string, times: number) =>
  expect
    .poll(async () => (await query<{ epoch: number }>("SELECT epoch FROM run WHERE id = $1", [runId]))[0]?.epoch, {
      timeout: 10_000,
    })
    .toBeGreaterThanOrEqual(times);

describe("a run that another process goes on with", () => {
  it("remembers that a node of it has failed", async () => {
    const id = await ann.save(
      [issue("bad", "fail"), issue("slow", "hang"), issue("after", "After")],
      edges("slow>after"),
    );
    const { body } = await ann.trigger(id);
    await expect.poll(async () => (await nodeOf(body.id, "bad"))?.status, { timeout: 5_000 }).toBe("failed");
    await handOut(body.id);
    expect(await ann.ended(body.id)).toMatchObject({
      status: "failed",
      error: { code: "provider_error", nodeId: "bad" },
    });
    expect(titles().sort()).toEqual(["fail", "hang"]);
  });

  it("keeps what a node had behind it that was trying again", async () => {
    github.plan("3", ["fail", "hang"]);
    const id = await ann.save(
      [
        node("list", "transform", { expression: "[1..4].{ 'value': $string($) }" }),
        issue("open", "{{ $input.value }}", {
          settings: { retries: 2, retryDelay: 10, repeatAfterInterruption: true },
        }),
      ],
      edges("list>open"),
    );
    const { body } = await ann.trigger(id);
    await expect.poll(titles, { timeout: 5_000 }).toEqual(["1", "2", "3", "4", "3"]);
    await expect.poll(() => nodeOf(body.id, "open"), { timeout: 5_000 }).toEqual({ status: "running", done: 3 });
    await handOut(body.id);
    expect((await ann.ended(body.id)).status).toBe("succeeded");
    expect(titles()).toEqual(["1", "2", "3", "4", "3", "3"]);
  });

  it("is given up when three processes lost it without getting any further", async () => {
    const id = await ann.save(
      [issue("first", "Done"), issue("bad", "hang", { settings: { repeatAfterInterruption: true } })],
      edges("first>bad"),
    );
    const { body } = await ann.trigger(id);
    for (let times = 1; times <= 3; times++) {
      await expect.poll(() => titles().filter((title) => title === "hang").length, { timeout: 5_000 }).toBe(times);
      await handOut(body.id);
    }
    const run = await ann.ended(body.id);
    expect(run).toMatchObject({ status: "failed", error: { code: "internal_error", nodeId: null } });
    expect(run.error?.message).toMatch(/^The run was given up: 3 processes lost it before it got any further\./);
    expect(titles()).toEqual(["Done", "hang", "hang", "hang"]);
  });

  it("is not given away by the one that lost it", async () => {
    const release = github.hold();
    const { body } = await ann.trigger(await ann.save([issue("open", "Once")]));
    // Not that any call runs: one of the test before may still hang.
    await expect.poll(titles).toEqual(["Once"]);
    await query("UPDATE run SET epoch = epoch + 1 WHERE id = $1", [body.id]);
    release();
    await delay(1_000);
    expect(await query("SELECT state FROM run_queue.job WHERE id = $1", [body.id])).toEqual([{ state: "active" }]);
    expect(titles()).toEqual(["Once"]);
    await cancel(body.id);
  });
});

describe("what a process executed and could not store", () => {
  it("is stored when it can be, all of it, with as many attempts as were stored before", async () => {
    const allow = await refuseEnds();
    const { body } = await ann.trigger(await ann.save([issue("a", "A"), issue("b", "B"), issue("c", "C")]));
    await whenTakenUp(body.id, 2);
    await query("UPDATE run_node SET attempts = 3 WHERE run_id = $1 AND node_id = 'b'", [body.id]);
    await whenTakenUp(body.id, 3);
    await allow();
    const run = await ann.ended(body.id);
    expect(run.nodes.map(({ id, status, attempts }) => ({ id, status, attempts }))).toEqual([
      { id: "a", status: "succeeded", attempts: 1 },
      { id: "b", status: "succeeded", attempts: 3 },
      { id: "c", status: "succeeded", attempts: 1 },
    ]);
    expect(titles().sort()).toEqual(["A", "B", "C"]);
  }, 40_000);

  it("is forgotten when it was only to try again, and another process has reached out since", async () => {
    const allow = await refuseEnds({ status: "retrying" });
    const settings = { retries: 3, retryDelay: 10 };
    const { body } = await ann.trigger(await ann.save([issue("a", "fail once", { settings })]));
    await whenTakenUp(body.id, 2);
    await query("UPDATE run_node SET attempts = 2, status = 'running', must_not_repeat = true WHERE run_id = $1", [
      body.id,
    ]);
    await allow();
    expect(await ann.ended(body.id)).toMatchObject({
      status: "failed",
      error: { code: "interrupted" },
      nodes: [{ attempts: 2 }],
    });
    expect(titles()).toEqual(["fail once"]);
  }, 40_000);
});

describe("a node beside another whose end cannot be stored", () => {
  it.each([
    {
      what: "is executed when the run goes on, and counts as tried once",
      title: "Sum {{ $sum([1..100000]) }}",
      seconds: 1,
      status: "succeeded",
    },
    {
      what: "does not end the run by failing, as long as that is not stored",
      title: "{{ $sum($map([1..50000], function($v) { $v * 2 })) }}",
      seconds: 0,
      status: "failed",
    },
  ])(
    "$what",
    async ({ title, seconds, status }) => {
      const allow = await refuseEnds({ nodes: "a", seconds });
      // Still computing when the first has reached out, and done while the database refuses the end of the first, or after that.
      const { body } = await ann.trigger(await ann.save([issue("a", "A"), issue("b", title)]));
      await expect
        .poll(async () => (await nodeOf(body.id, "b"))?.status, { timeout: 10_000, interval: 10 })
        .toBeDefined();
      await delay(1_200);
      await allow();
      const run = await ann.ended(body.id);
      expect(run.nodes.map(({ id, status: of, attempts }) => [id, of, attempts])).toEqual([
        ["a", "succeeded", 1],
        ["b", status, 1],
      ]);
      expect(titles().sort()).toEqual(status === "succeeded" ? ["A", "Sum 5000050000"] : ["A"]);
    },
    40_000,
  );
});

describe("a workflow that calls two others", () => {
  it("does nothing twice when one of them ends while it goes on with the other's result", async () => {
    github.takeTime(80);
    const quick = await ann.save([node("now", "set_fields", { fields: { a: "1" } })], [], "Quick");
    const slow = await ann.save([issue("open", "slow {{ $trigger.prompt }}")], [], "Slow");
    const call = (id: string, workflowId: string) =>
      node(id, "call_workflow", { workflowId, prompt: "{{ $trigger.prompt }}" });
    const above = await ann.save(
      [call("a", quick), call("b", slow), issue("d", "d {{ $trigger.prompt }}")],
      edges("a>d"),
      "Above",
    );
    const prompts = Array.from({ length: roundsOf(20, 200) }, (_, index) => String(index));
    for (const runtimePrompt of prompts) expect((await ann.run(above, { runtimePrompt })).status).toBe("succeeded");
    expect(titles().sort()).toEqual(prompts.flatMap((prompt) => [`d ${prompt}`, `slow ${prompt}`]).sort());
  }, 120_000);

  it("starts none of them after it was cancelled", async () => {
    const hold = github.hold();
    const below = await ann.save([issue("open", "Below")], [], "Below");
    const above = await ann.save(
      [issue("first", "First"), node("call", "call_workflow", { workflowId: below })],
      edges("first>call"),
    );
    const { body } = await ann.trigger(above);
    await github.whenRunning(1, 5_000);
    const release = await lock("LOCK TABLE workflow IN ACCESS EXCLUSIVE MODE");
    hold();
    await whenBlocked("SELECT workflow.organization_id%");
    // Not at the door, which would have to wait as well.
    await ann.app.runs.cancel({ organizationId: ann.owner.organizationId, id: body.id });
    await release();
    await delay(500);
    expect(await query("SELECT status FROM run WHERE parent_run_id = $1", [body.id])).toEqual([]);
    expect(titles()).toEqual(["First"]);
  });

  it("cancels one that is just being stored", async () => {
    const hold = github.hold();
    const below = await ann.save([issue("open", "Below")], [], "Below");
    const above = await ann.save([node("call", "call_workflow", { workflowId: below })], [], "Above");
    const release = await lock("LOCK TABLE run_once IN EXCLUSIVE MODE");
    const { body } = await ann.trigger(above);
    await whenBlocked("INSERT INTO run_once%");
    const cancelling = cancel(body.id);
    await whenBlocked("%RECURSIVE tree%");
    await release();
    expect((await cancelling).status).toBe(200);
    hold();
    expect(await query("SELECT status FROM run WHERE parent_run_id = $1", [body.id])).toEqual([
      { status: "cancelled" },
    ]);
  });

  it("does not take a database that is away for a workflow without items", async () => {
    const run = await ann.run(await ann.save([node("now", "set_fields", { fields: { a: "1" } })]));
    const away = async () => {
      throw new Refusal("database_unavailable", "The database cannot be reached right now.");
    };
    const list = createRunList({ db: ann.app.parts.ground.db, findGraph: away });
    await expect(list.read(ann.owner.organizationId, run.id)).rejects.toMatchObject({ code: "database_unavailable" });
  });
});

describe("a workflow that calls many side by side", () => {
  it("makes each of their requests once, however many end at the same time", async () => {
    await checkParallelCalls(ann, github, { parents: 64, children: 20, limitMs: 240_000 });
  }, 300_000);
});

describe("a run", () => {
  it("fails once with what the provider said, also when that cannot be stored as it is", async () => {
    const run = await ann.run(await ann.save([issue("open", "nul")]));
    expect(run).toMatchObject({ status: "failed", error: { code: "provider_error", nodeId: "open" } });
    expect(titles()).toEqual(["nul"]);
  });

  it("is kept by its process whatever else goes wrong there", async () => {
    const release = github.hold();
    const { body } = await ann.trigger(await ann.save([issue("open", "Kept")]));
    await github.whenRunning(1, 5_000);
    // Looking for runs that nobody could bring to an end fails, as long as this is there.
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
    await query("CREATE TRIGGER refuse BEFORE UPDATE ON run_queue.job_common FOR EACH ROW EXECUTE FUNCTION refuse()");
    await query("INSERT INTO run_queue.job (id, name) VALUES (gen_random_uuid(), 'run_dead')");
    onTestFinished(async () => void (await query("DROP FUNCTION refuse CASCADE")));
    await delay(14_000);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
    expect(titles()).toEqual(["Kept"]);
  }, 40_000);
});
