import { describe, expect, it, onTestFinished } from "vitest";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { checkParallelCalls } from "../support/runs/parallel-calls.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => ({ ann, github } = made), { callMs: 1_200 });

const titles = () => github.requests.map(({ title }) => title);
const statuses = (run: Awaited<ReturnType<WorkflowApp["run"]>>) =>
  Object.fromEntries(run.nodes.map(({ id, status }) => [id, status]));
const start = node("s", "start");
const rest = (milliseconds = 400) => node("rest", "wait", { milliseconds });

describe("a wait that is over", () => {
  it("does not end the run while another branch still works", async () => {
    const id = await ann.save([start, rest(), issue("a", "A"), issue("b", "B")], edges("s>rest", "s>a", "a>b"));
    const run = await ann.run(id);
    expect([run.status, run.error, titles()]).toEqual(["succeeded", null, ["A", "B"]]);
    expect(statuses(run)).toEqual({ s: "succeeded", rest: "succeeded", a: "succeeded", b: "succeeded" });
  });

  it("waits at a merge for the branch that still works", async () => {
    const id = await ann.save(
      [start, rest(), issue("a", "A"), node("both", "merge"), issue("b", "B")],
      edges("s>rest", "s>a", "rest>both", "a>both", "both>b"),
    );
    const run = await ann.run(id);
    expect([run.status, titles()]).toEqual(["succeeded", ["A", "B"]]);
    expect(statuses(run)).toMatchObject({ rest: "succeeded", a: "succeeded", both: "succeeded", b: "succeeded" });
  });

  it("does not end the run while a called workflow goes on, or what follows it", async () => {
    const below = await ann.save([issue("open", "Below")], [], "Below");
    const call = node("call", "call_workflow", { workflowId: below });
    for (const milliseconds of [300, 1_600]) {
      github.forget();
      const id = await ann.save(
        [start, rest(milliseconds), call, issue("b", "After")],
        edges("s>rest", "s>call", "call>b"),
      );
      const run = await ann.run(id);
      expect([run.status, titles()]).toEqual(["succeeded", ["Below", "After"]]);
      expect(statuses(run)).toEqual({ s: "succeeded", rest: "succeeded", call: "succeeded", b: "succeeded" });
    }
  });

  it("does not hide that another branch fails afterwards", async () => {
    const id = await ann.save([start, rest(), issue("a", "fail")], edges("s>rest", "s>a"));
    expect(await ann.run(id)).toMatchObject({ status: "failed", error: { nodeId: "a" } });
  });
});

describe("a workflow that calls others side by side", () => {
  it("notices within seconds that one has ended although nobody told it, however busy its other branches are", async () => {
    const below = await ann.save([node("rest", "wait", { milliseconds: 120_000 })], [], "Below");
    // Each of them takes less than the time after which it is looked, so that something changes again and again.
    const busy = Array.from({ length: 20 }, (_, index) => `busy${index}`);
    const nodes = [node("call", "call_workflow", { workflowId: below }), ...busy.map((id) => issue(id, id))];
    const lines = busy.slice(1).map((id, index) => `${busy[index]}>${id}`);
    const { body } = await ann.trigger(await ann.save(nodes, edges(...lines)));
    const children = async () => (await ann.owner.browser.get(`${ann.path}/runs?parentRunId=${body.id}`)).body.data;
    await expect.poll(async () => (await children())[0]?.status, { timeout: 5_000 }).toBe("waiting");
    // As a process that ended right after its commit leaves it.
    await ann.app.database.query("UPDATE run SET status = 'succeeded', completed_at = now() WHERE parent_run_id = $1", [
      body.id,
    ]);
    const statusOf = async (id: string) => (await ann.readRun(body.id)).body.nodes.find((one) => one.id === id)?.status;
    await expect.poll(() => statusOf("call"), { timeout: 9_000 }).toBe("succeeded");
    expect(await statusOf(busy.at(-1) ?? "")).not.toBe("succeeded");
    await ann.owner.browser.post(`${ann.path}/runs/${body.id}/cancel`);
  }, 30_000);

  it("makes each of their requests once, however many end at the same time", async () => {
    github.takeTime(5);
    await checkParallelCalls(ann, github, { parents: 8, children: 12 });
  }, 60_000);
});

describe("a node whose end cannot be stored", () => {
  const query = (text: string) => ann.app.database.query(text);

  /** The database refuses the next ends of nodes. */
  async function refuseEnds({
    count,
    code,
    status = "succeeded",
  }: {
    count: number;
    code: string;
    status?: string;
  }): Promise<void> {
    await query("CREATE SEQUENCE refused");
    await query(`CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.status = '${status}' AND nextval('refused') <= ${count} THEN RAISE EXCEPTION 'not now' USING ERRCODE = '${code}'; END IF;
      RETURN NEW; END $$`);
    await query(
      "CREATE TRIGGER refuse_end BEFORE INSERT OR UPDATE ON run_node FOR EACH ROW EXECUTE FUNCTION refuse_end()",
    );
    onTestFinished(async () => {
      await query("DROP FUNCTION refuse_end CASCADE");
      await query("DROP SEQUENCE refused");
    });
  }

  it.each(["40P01", "40001"])(
    "is stored at the second try when the database undid it (%s), without a second request",
    async (code) => {
      const id = await ann.save([issue("a", "A"), issue("b", "B")], edges("a>b"));
      await refuseEnds({ count: 3, code });
      const run = await ann.run(id);
      expect([run.status, titles()]).toEqual(["succeeded", ["A", "B"]]);
      const [row] = await ann.app.database.query<{ epoch: number }>("SELECT epoch FROM run WHERE id = $1", [run.id]);
      expect(row?.epoch).toBe(1);
    },
  );

  it("is not executed again by the process that executed it, and neither is what ran beside it", async () => {
    const id = await ann.save([issue("a", "A"), issue("beside", "Beside"), issue("b", "B")], edges("a>b"));
    await refuseEnds({ count: 2, code: "XX000" });
    const run = await ann.run(id);
    expect([run.status, titles().sort()]).toEqual(["succeeded", ["A", "B", "Beside"]]);
    const [row] = await ann.app.database.query<{ epoch: number }>("SELECT epoch FROM run WHERE id = $1", [run.id]);
    expect(row?.epoch).toBeGreaterThan(1);
  });
});
