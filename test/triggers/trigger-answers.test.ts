import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let model: Awaited<ReturnType<typeof startFakeModel>>;
let echo: string;
let slow: string;

beforeAll(async () => {
  model = await startFakeModel((told) => ({ fields: { heard: /run: "([^"]*)"/.exec(told)?.[1] ?? "nothing" } }));
  ann = await startWorkflowApp({ environment: { ...model.environment, SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "50" } });
  bob = await signUpOwner(ann.app, "Bob");
  echo = await ann.save([node("say", "set_fields", { fields: { said: "$trigger.prompt" } })]);
  slow = await ann.save([node("rest", "wait", { milliseconds: 1_500 })]);
});
afterAll(async () => {
  await ann?.stop();
  await model?.stop();
});

const countRuns = async (): Promise<number> => {
  const [row] = await ann.app.database.query<{ count: string }>("SELECT count(*) AS count FROM run");
  return Number(row?.count);
};

describe("an Idempotency-Key", () => {
  it("gives the same run for the same request, however often and however much at once", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const before = await countRuns();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ann.trigger(echo, { runtimePrompt: "once" }, headers)),
    );
    answers.push(await ann.trigger(echo, { runtimePrompt: "once", nodes: null, other: 1 }, headers));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers: sent }) => sent.get("idempotent-replay") === "true")).toHaveLength(20);
    expect(await countRuns()).toBe(before + 1);
  });

  it("still names the run when the workflow was turned off, and is refused with another request", async () => {
    const id = await ann.save([node("a", "start")]);
    const headers = { "idempotency-key": "turned off" };
    const first = await ann.trigger(id, { runtimePrompt: "a" }, headers);
    await ann.owner.browser.patch(`${ann.path}/workflows/${id}`, { isActive: false });
    const again = await ann.trigger(id, { runtimePrompt: "a" }, headers);
    expect([again.status, again.text]).toEqual([202, first.text]);
    for (const other of [
      await ann.trigger(id, { runtimePrompt: "b" }, headers),
      await ann.trigger(echo, { runtimePrompt: "a" }, headers),
    ])
      expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  it("is not used up by a request that is refused", async () => {
    const headers = { "idempotency-key": "refused first" };
    expect((await ann.trigger(echo, { nodes: [{ id: "nobody" }] }, headers)).status).toBe(400);
    expect((await ann.trigger(randomUUID(), {}, headers)).status).toBe(404);
    const { status, headers: sent } = await ann.trigger(echo, {}, headers);
    expect([status, sent.get("idempotent-replay")]).toEqual([202, null]);
  });

  it("belongs to the organization, not to the key or to everybody", async () => {
    const headers = { "idempotency-key": "shared" };
    const mine = await ann.trigger(echo, {}, headers);
    const colleague = await ann.trigger(echo, {}, { ...headers, "x-api-key": await ann.createKey() });
    expect([colleague.body.id, colleague.headers.get("idempotent-replay")]).toEqual([mine.body.id, "true"]);
    const canvas = { nodes: [node("a", "start")], edges: [] };
    const bobs = (
      await bob.browser.post(`/api/organizations/${bob.organizationId}/workflows`, { name: "Bob's", canvas })
    ).body.id;
    const other = await ann.trigger(bobs, {}, { ...headers, "x-api-key": await ann.createKey(bob.organizationId) });
    expect([other.status, other.headers.get("idempotent-replay")]).toEqual([202, null]);
  });

  it("may be used anew after a day", async () => {
    const headers = { "idempotency-key": "yesterday" };
    const first = await ann.trigger(echo, {}, headers);
    await ann.app.database.query(
      "UPDATE run_once SET created_at = now() - interval '25 hours' WHERE key = 'api:yesterday'",
    );
    const second = await ann.trigger(echo, { runtimePrompt: "other" }, headers);
    expect([second.status, second.body.id === first.body.id]).toEqual([202, false]);
  });

  it.each(["", " ", "x".repeat(256)])("of the form %j is refused", async (key) => {
    const before = await countRuns();
    const { status, body } = await ann.trigger(echo, {}, { "idempotency-key": key });
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    expect(await countRuns()).toBe(before);
  });
});

describe("Prefer: wait", () => {
  it("is answered with the finished run", async () => {
    const { status, body, headers } = await ann.trigger(
      echo,
      { runtimePrompt: "now" },
      { prefer: "respond-async, wait=20" },
    );
    expect([status, headers.get("preference-applied")]).toEqual([200, "wait=20"]);
    expect(body).toMatchObject({ status: "succeeded", result: [{ said: "now" }] });
    expect((await ann.readRun(body.id)).body).toEqual(body);
  });

  const says = (id: string, settings = {}) =>
    node(id, "set_fields", { fields: { said: "$trigger.prompt" } }, { settings });
  it.each([
    ["nodes in a row", [says("a"), says("b"), says("c")], edges("a>b", "b>c")],
    [
      "a way not taken",
      [node("a", "condition", { condition: "false" }), says("b"), says("c")],
      edges("a.true>b", "a.false>c"),
    ],
    ["a disabled node", [says("a"), says("b", { disabled: true })], edges("a>b")],
    ["a failure", [says("a"), node("b", "stop", { message: "Enough." })], edges("a>b")],
    ["many items", [node("a", "loop", { list: "[1..30]" }), says("b", { itemsAtOnce: 4 })], edges("a>b")],
    [
      "a wait, and so several writes",
      [says("a"), node("b", "wait", { milliseconds: 50 }), says("c")],
      edges("a>b", "b>c"),
    ],
  ])("tells of %s what reading the run tells", async (_, nodes, ways) => {
    const { status, body } = await ann.trigger(
      await ann.save(nodes, ways),
      { runtimePrompt: "a" },
      { prefer: "wait=20" },
    );
    expect(status).toBe(200);
    expect((await ann.readRun(body.id)).body).toEqual(body);
  });

  it("is answered with 202 when the time is up", async () => {
    const began = performance.now();
    const { status, body, headers } = await ann.trigger(slow, {}, { prefer: "wait=1" });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect([status, body.status, headers.get("preference-applied")]).toEqual([202, "pending", null]);
    expect((await ann.ended(body.id)).status).toBe("succeeded");
  });

  it.each(["wait=0", "wait", "wait=-5", "wait=soon", "wait=1e3", "return=minimal", "await=5", ""])(
    "of the form %j waits for nothing",
    async (prefer) => {
      let elapsedMs = Number.POSITIVE_INFINITY;
      // A busy machine may take that long once; whoever waits does so each time.
      for (let tries = 0; tries < 3 && elapsedMs >= 900; tries++) {
        const began = performance.now();
        const { status } = await ann.trigger(slow, {}, { prefer });
        elapsedMs = performance.now() - began;
        expect(status).toBe(202);
      }
      expect(elapsedMs).toBeLessThan(900);
    },
  );

  it("asks for nothing but the status until the run has ended", async () => {
    const rest = await ann.save([node("rest", "wait", { milliseconds: 3_000 })]);
    const expectRuns = (statuses: string[]) =>
      expect
        .poll(async () => await ann.app.database.query("SELECT status FROM run WHERE completed_at IS NULL"), {
          timeout: 9_000,
          interval: 20,
        })
        .toEqual(statuses.map((status) => ({ status })));
    await expectRuns([]);
    const answers = Array.from({ length: 5 }, () => ann.trigger(rest, {}, { prefer: "wait=20" }));
    await expectRuns(answers.map(() => "waiting"));
    // Whoever looked at a node now would be seen waiting for it.
    const held = new pg.Client(ann.app.database.url);
    await held.connect();
    try {
      await held.query("BEGIN");
      await held.query("LOCK TABLE run_node IN ACCESS EXCLUSIVE MODE");
      const asking =
        "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'relation' AND datname = current_database()";
      const until = Date.now() + 1_500;
      while (Date.now() < until) expect((await held.query(asking)).rows).toEqual([]);
    } finally {
      await held.end();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it("hears at once of the end of a run that another process has", async () => {
    const database = await createTestDatabase();
    const asked = await startWorkflowApp({ database, roles: ["platform"] });
    const worker = await startTestApp({ database, roles: ["worker"] });
    try {
      const workflowId = await asked.save([node("say", "set_fields", { fields: { said: "$trigger.prompt" } })]);
      const lateMs: number[] = [];
      for (let round = 0; round < 5; round++) {
        const { status, body } = await asked.trigger(workflowId, { runtimePrompt: "far" }, { prefer: "wait=20" });
        lateMs.push(Date.now() - Date.parse(String(body.completedAt)));
        expect([status, body.result]).toEqual([200, [{ said: "far" }]]);
      }
      expect(lateMs.toSorted((one, other) => one - other)[2]).toBeLessThan(500);
    } finally {
      await worker.stop();
      await asked.stop();
      await database.drop();
    }
  });

  it("gives all of a run whose outputs are large", async () => {
    const large = await ann.save([node("say", "set_fields", { fields: { said: "$trigger.prompt" } })]);
    const answers = await Promise.all(
      ["a", "b".repeat(200_000), "c"].map((runtimePrompt) =>
        ann.trigger(large, { runtimePrompt }, { prefer: "wait=20" }),
      ),
    );
    expect(answers.map(({ body }) => String(body.result?.[0]?.said).length)).toEqual([1, 200_000, 1]);
  });

  it("waits a minute at most", async () => {
    const { status, headers } = await ann.trigger(echo, {}, { prefer: "wait=86400" });
    expect([status, headers.get("preference-applied")]).toEqual([200, "wait=60"]);
  });
});

describe("a run", () => {
  it("can be read with any key of the organization that may start workflows, and with no other", async () => {
    const { id } = await ann.run(echo);
    expect((await ann.readRun(id)).status).toBe(200);
    expect((await ann.readRun(id, await ann.createKey())).status).toBe(200);
    const foreign = await ann.readRun(id, await ann.createKey(bob.organizationId));
    const unknown = await ann.readRun(randomUUID());
    expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
    expect([unknown.status, unknown.body.detail]).toEqual([404, foreign.body.detail]);
    const { organizationId } = ann.owner;
    const tools = await ann.app.parts.identity.apiKeys.create(organizationId, {
      name: "tools",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    expect((await ann.readRun(id, tools.key)).body.code).toBe("insufficient_scope");
    expect((await ann.readRun("nonsense")).status).toBe(400);
  });

  it("gives a runtime instruction to that node and that run only", async () => {
    const filled = (id: string) => node(id, "set_fields", {}, { instruction: "Say what you heard." });
    const id = await ann.save([filled("one"), filled("two")], edges("one>two"));
    const run = await ann.run(id, { nodes: [{ id: "one", runtimeInstruction: "speak up" }] });
    expect(run.nodes.map(({ filled: values }) => values)).toEqual([
      [{ fields: { heard: "speak up" } }],
      [{ fields: { heard: "nothing" } }],
    ]);
    expect((await ann.run(id)).nodes.map(({ outputs }) => outputs)).toEqual([
      [{ heard: "nothing" }],
      [{ heard: "nothing" }],
    ]);
    expect(model.told.filter((told) => told.includes("The instruction for this run: "))).toHaveLength(1);
  });
});
