import { describe, expect, it } from "vitest";
import type { CanvasEdge, CanvasNode } from "../../src/workflows/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember } from "../support/people.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, type RunAnswer, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => {
  ({ ann, github } = made);
});

const titles = () => github.requests.map(({ title }) => title);
const pathOf = (id: string) => `${ann.path}/workflows/${id}`;
const start = (id: string, body: object) => ann.owner.browser.post(`${pathOf(id)}/draft/runs`, body);
const step = async (id: string, nodeId: string, others: object = {}) => {
  const { status, body } = await start(id, { mode: "node", nodeId, ...others });
  expect([status, body.code, body.detail]).toEqual([202, undefined, undefined]);
  return { run: await ann.ended(body.id), used: usedOf(body) };
};
const usedOf = ({ nodes }: { nodes: { id: string; data: string }[] }) =>
  Object.fromEntries(nodes.map(({ id, data }) => [id, data]));
const takenIn = ({ nodes }: RunAnswer) => Object.fromEntries(nodes.map(({ id, takenFrom }) => [id, takenFrom]));
const textsOf = (items: Record<string, unknown>[] | null | undefined) => items?.map(({ text }) => text);
const outputsOf = ({ nodes }: RunAnswer, id: string) => textsOf(nodes.find((one) => one.id === id)?.outputs);

async function draft(nodes: object[], lines: CanvasEdge[] = [], others: object = {}): Promise<string> {
  const canvas = { nodes, edges: lines, ...others };
  const { status, body } = await ann.owner.browser.post(`${ann.path}/workflows`, {
    name: "Draft",
    canvas,
    publish: false,
  });
  expect(status).toBe(201);
  return body.id;
}
async function change(id: string, nodes: object[], lines: CanvasEdge[] = []): Promise<void> {
  const { version, draft: before } = (await ann.owner.browser.get(pathOf(id))).body;
  const expected = { expectedVersion: version, ...(before ? { expectedDraft: before.revision } : {}) };
  const sent = { canvas: { nodes, edges: lines }, publish: false, ...expected };
  const { status, text } = await ann.owner.browser.patch(pathOf(id), sent);
  if (status !== 200) throw new Error(text);
}
const pin = (id: string, nodeId: string, outputs: object) =>
  ann.owner.browser.send("PUT", `${pathOf(id)}/draft/pins/${nodeId}`, { outputs });

const say = (id: string, text: string) => node(id, "set_fields", { fields: { text } });
const unfinished: CanvasNode = node("unfinished", "github_create_issue");

describe("a step", () => {
  it("runs one node of a draft that was never published, with what leads to it, and says so", async () => {
    const nodes = [say("a", "A"), say("b", "{{ $nodes.a.first.text }}B"), say("c", "never"), say("d", "beside")];
    const id = await draft(nodes, edges("a>b", "b>c"));
    const { run, used } = await step(id, "b");
    expect(used).toEqual({ a: "ran", b: "ran" });
    expect(run).toMatchObject({ status: "succeeded", executionType: "step", workflowVersion: 0, rerunOf: null });
    expect([outputsOf(run, "b"), takenIn(run)]).toEqual([["AB"], { a: null, b: null }]);
    expect((run.canvas as { nodes: CanvasNode[] }).nodes.map((one) => one.id)).toEqual(["a", "b"]);
    const { body: list } = await ann.owner.browser.get(`${ann.path}/runs?executionType=step&workflowId=${id}`);
    expect(list.data).toMatchObject([{ id: run.id, executionType: "step" }]);
  });

  it("is not the last run of its workflow: lists tell of what is published", async () => {
    const id = await ann.save([say("a", "A")], [], "Listed");
    const last = async () => {
      const { body } = await ann.owner.browser.get(`${ann.path}/workflows?search=Listed`);
      return body.data[0].lastRun;
    };
    await step(id, "a");
    expect(await last()).toBeNull();
    const published = await ann.run(id);
    await step(id, "a");
    expect(await last()).toMatchObject({ id: published.id, status: "succeeded" });
  });

  it("is answered with its end where somebody waits for it", async () => {
    const id = await draft([say("a", "A")]);
    const body = { mode: "node", nodeId: "a" };
    const answer = await ann.owner.browser.send("POST", `${pathOf(id)}/draft/runs`, body, { prefer: "wait=20" });
    expect([answer.status, answer.headers.get("preference-applied")]).toEqual([200, "wait=20"]);
    expect(answer.body).toMatchObject({ status: "succeeded", executionType: "step", canvas: { nodes: [{ id: "a" }] } });
  });

  it("takes what nodes before it gave in this draft, and says from which run", async () => {
    const id = await draft([say("a", "A"), say("b", "B"), say("c", "C")], edges("a>b", "b>c"));
    const first = await step(id, "a");
    const second = await step(id, "b");
    expect(second.used).toEqual({ a: first.run.id, b: "ran" });
    const third = await step(id, "c");
    expect(third.used).toEqual({ a: first.run.id, b: second.run.id, c: "ran" });
    expect(takenIn(third.run)).toEqual({ a: first.run.id, b: second.run.id, c: null });
    expect((await step(id, "c")).used).toEqual({ a: first.run.id, b: second.run.id, c: "ran" });
  });

  it("runs again what changed, and what comes after that, but not for a name, a place or a retry", async () => {
    const line = edges("a>b", "b>c");
    const id = await draft([say("a", "A"), say("b", "B"), say("c", "C")], line);
    const { run } = await step(id, "b");
    const moved = { ...say("a", "A"), name: "Renamed", position: { x: 7, y: 7 }, settings: { retries: 3 } };
    await change(id, [moved, say("b", "B"), say("c", "other")], line);
    expect((await step(id, "c")).used).toEqual({ a: run.id, b: run.id, c: "ran" });
    await change(id, [say("a", "changed"), say("b", "B"), say("c", "other")], line);
    expect((await step(id, "c")).used).toEqual({ a: "ran", b: "ran", c: "ran" });
  });

  it("ignores notes, whatever is wrong with them", async () => {
    for (const notes of [[{ id: "n", text: 5 }], Array(101).fill({}), "none"]) {
      const id = await draft([{ ...say("a", "A"), note: "Says A" }], [], { notes });
      const { run } = await step(id, "a");
      expect([run.status, Object.keys(run.canvas as object)]).toEqual(["succeeded", ["nodes", "edges"]]);
    }
  });

  it("goes on with what the last run of the draft was started with, and begins anew with something else", async () => {
    const id = await draft([say("a", "{{ $trigger.payload.name }}"), say("b", "{{ $input.text }}!")], edges("a>b"));
    const { body } = await start(id, { mode: "all", payload: { name: "Ann" } });
    const whole = await ann.ended(body.id);
    expect(whole).toMatchObject({ executionType: "editor", result: [{ text: "Ann!" }] });
    expect((await step(id, "b")).used).toEqual({ a: whole.id, b: "ran" });
    const other = await step(id, "b", { payload: { name: "Ben" } });
    expect([other.used, outputsOf(other.run, "b")]).toEqual([{ a: "ran", b: "ran" }, ["Ben!"]]);
  });

  it("begins with the pinned trigger data, with all that came with it, unless something else is given", async () => {
    const text = "{{ $trigger.payload.name }} {{ $trigger.headers.`x-kind` }} {{ $trigger.source }}";
    const id = await draft([say("a", text), say("b", "{{ $input.text }}!")], edges("a>b"));
    const { body } = await start(id, { mode: "all", payload: { name: "Last" } });
    await ann.ended(body.id);
    const event = (name: string, kind: string) => ({
      out: [{ source: "webhook", sender: null, prompt: "", payload: { name }, headers: { "x-kind": kind } }],
    });
    expect((await pin(id, "$trigger", event("Mia", "order"))).status).toBe(200);
    const first = await step(id, "b");
    expect([first.used, outputsOf(first.run, "b")]).toEqual([{ a: "ran", b: "ran" }, ["Mia order webhook!"]]);
    expect((await step(id, "b")).used).toEqual({ a: first.run.id, b: "ran" });
    await pin(id, "$trigger", event("Mia", "refund"));
    expect(outputsOf((await step(id, "b")).run, "b")).toEqual(["Mia refund webhook!"]);
    const whole = await ann.ended((await start(id, { mode: "all" })).body.id);
    expect(whole.result).toMatchObject([{ text: "Mia refund webhook!" }]);
    const { run } = await step(id, "a", { payload: { name: "Ben" } });
    expect(run.trigger).toEqual({ source: "manual", sender: expect.anything(), prompt: "", payload: { name: "Ben" } });
  });

  it("previews and the list of pins have the pinned trigger data, and nothing but one whole trigger is taken for it", async () => {
    const id = await draft([say("a", "A")]);
    const scope = async () => (await ann.owner.browser.get(`${pathOf(id)}/preview-scope`)).body;
    expect((await scope()).trigger).toBe(null);
    const trigger = { source: "webhook", sender: null, prompt: "p", payload: { n: 1 } };
    for (const outputs of [
      {},
      { out: [] },
      { out: [trigger, trigger] },
      { out: [{ payload: 1 }] },
      { other: [trigger] },
    ])
      expectProblem(await pin(id, "$trigger", outputs), { status: 400, code: "validation_failed" });
    await pin(id, "$trigger", { out: [trigger] });
    expect(await scope()).toMatchObject({ runId: null, trigger });
    const { body: list } = await ann.owner.browser.get(`${pathOf(id)}/draft/pins`);
    expect(list.data).toMatchObject([{ nodeId: "$trigger", items: 1 }]);
    const { body: published } = await ann.owner.browser.post(`${pathOf(id)}/publish`, {});
    expect(published.pinnedNodes).toBe(0);
    expect((await ann.run(id)).trigger).toMatchObject({ source: "api", payload: null });
    expect((await ann.owner.browser.get(`${pathOf(id)}/draft/pins/$trigger`)).body.outputs.out[0]).toEqual(trigger);
    expect((await ann.owner.browser.delete(`${pathOf(id)}/draft/pins/$trigger`)).status).toBe(204);
  });

  it("needs only its own way to be faultless, and refuses with the faults on that way", async () => {
    const strange = { id: "strange", nodeId: "no_such_node" };
    const lines = [...edges("a>b", "a>unfinished", "b>last"), { id: "half" }];
    const id = await draft([say("a", "A"), say("b", "B"), unfinished, strange, { id: "last" }], lines as CanvasEdge[]);
    expect((await step(id, "b")).run.status).toBe("succeeded");
    const onUnfinished = expectProblem(await start(id, { mode: "node", nodeId: "unfinished" }), {
      status: 400,
      code: "validation_failed",
    });
    const pointers = (onUnfinished.errors ?? []).map(({ pointer }) => pointer);
    expect(pointers.length).toBeGreaterThan(0);
    for (const pointer of pointers) expect(pointer).toMatch(/^\/canvas\/nodes\/2\//);
    for (const nodeId of ["strange", "last"])
      expectProblem(await start(id, { mode: "node", nodeId }), { status: 400, code: "validation_failed" });
    expectProblem(await start(id, { mode: "all" }), { status: 400, code: "validation_failed" });
    expectProblem(await start(id, { mode: "node", nodeId: "nowhere" }), { status: 400, code: "unknown_node" });
  });

  it("runs to a node with all that leads to it, and from a node with all that follows it", async () => {
    const nodes = [say("a", "A"), say("b", "B"), say("c", "C"), say("beside", "S"), node("all", "merge")];
    const id = await draft(nodes, edges("a>b", "b>c", "c>all", "beside>all"));
    const { run } = await step(id, "b");
    const toHere = (await start(id, { mode: "toHere", nodeId: "b" })).body;
    expect(usedOf(toHere)).toEqual({ a: "ran", b: "ran" });
    await ann.ended(toHere.id);
    const fromHere = (await start(id, { mode: "fromHere", nodeId: "b" })).body;
    expect(usedOf(fromHere)).toEqual({ a: toHere.id, b: "ran", c: "ran", beside: "ran", all: "ran" });
    expect(run.id).not.toBe(toHere.id);
    expect((await ann.ended(fromHere.id)).status).toBe("succeeded");
  });

  it("takes the published version where there is no draft, also while the workflow is off", async () => {
    const id = await ann.save([say("a", "A"), say("b", "B")], edges("a>b"));
    await ann.owner.browser.patch(pathOf(id), { isActive: false });
    expect((await step(id, "b")).run).toMatchObject({ status: "succeeded", executionType: "step" });
  });

  it("follows an item back to a node that was taken over", async () => {
    const nodes = [
      node("list", "loop", { list: "[1, 2]" }),
      say("mid", "m"),
      say("end", "{{ $nodes.list.item.value }}"),
    ];
    const id = await draft(nodes, edges("list>mid", "mid>end"));
    const first = await step(id, "mid");
    const { run, used } = await step(id, "end");
    expect(used).toEqual({ list: first.run.id, mid: first.run.id, end: "ran" });
    expect(outputsOf(run, "end")).toEqual([1, 2]);
  });

  it("goes on after a wait where it stood, whoever takes it up", async () => {
    const lines = edges("first>pause", "pause>end");
    const nodes = [
      issue("first", "Once"),
      node("pause", "wait", { milliseconds: 700 }),
      say("end", "{{ $input.title }}"),
    ];
    const id = await draft(nodes, lines);
    const { used } = await step(id, "first");
    const { run } = await step(id, "end");
    expect([used, run.status, outputsOf(run, "end"), titles()]).toEqual([
      { first: "ran" },
      "succeeded",
      ["Once"],
      ["Once"],
    ]);
  });

  it("is refused to viewers, and for a workflow that there is not", async () => {
    const id = await draft([say("a", "A")]);
    const viewer = await signUpMember(ann.app, ann.owner.organizationId, "Vera", "viewer");
    const body = { mode: "node", nodeId: "a" };
    expectProblem(await viewer.browser.post(`${pathOf(id)}/draft/runs`, body), { status: 403, code: "role_required" });
    expectProblem(await viewer.browser.send("PUT", `${pathOf(id)}/draft/pins/a`, { outputs: {} }), {
      status: 403,
      code: "role_required",
    });
    expectProblem(await viewer.browser.delete(`${pathOf(id)}/draft/pins/a`), { status: 403, code: "role_required" });
    expectProblem(await start(crypto.randomUUID(), body), { status: 404, code: "workflow_not_found" });
    for (const wrong of [{ mode: "all", nodeId: "a" }, { mode: "node" }])
      expectProblem(await start(id, wrong), { status: 400, code: "validation_failed" });
  });
});

describe("a write", () => {
  const line = edges("a>write", "write>after");
  const nodes = () => [say("a", "A"), issue("write", "Once", { name: "Open an issue" }), say("after", "after")];

  it("is not repeated in a draft unless it is asked for", async () => {
    const id = await draft(nodes(), line);
    const { run } = await step(id, "write");
    expect(titles()).toEqual(["Once"]);
    for (const body of [
      { mode: "node", nodeId: "write" },
      { mode: "toHere", nodeId: "after" },
      { mode: "all" },
      { mode: "fromHere", nodeId: "a" },
    ]) {
      const problem = expectProblem(await start(id, body), { status: 409, code: "write_repeated" });
      expect(problem.detail).toContain('"Open an issue"');
      expect(problem.errors).toEqual([{ pointer: "/nodes/write", detail: expect.stringContaining(run.id) }]);
    }
    expect((await step(id, "after")).used).toEqual({ a: run.id, write: run.id, after: "ran" });
    expect(titles()).toEqual(["Once"]);
    await step(id, "write", { allowRepeat: true });
    expect(titles()).toEqual(["Once", "Once"]);
  });

  it("asks also after it was edited, and no more once the draft was published", async () => {
    const id = await draft(nodes(), line);
    await step(id, "write");
    const edited = nodes().with(1, issue("write", "Twice"));
    await change(id, edited, line);
    expectProblem(await start(id, { mode: "node", nodeId: "after" }), { status: 409, code: "write_repeated" });
    expect((await ann.owner.browser.post(`${pathOf(id)}/publish`, {})).status).toBe(200);
    await step(id, "write");
    expect(titles()).toEqual(["Once", "Twice"]);
  });

  it("may be tried again where it did nothing, and asks where nobody knows", async () => {
    const id = await draft([issue("write", "refused"), issue("lost", "drop")]);
    github.plan("refused", ["fail", "fail"]);
    for (const nodeId of ["write", "write", "lost"]) expect((await step(id, nodeId)).run.status).toBe("failed");
    expect(titles()).toEqual(["refused", "refused", "drop"]);
    expectProblem(await start(id, { mode: "node", nodeId: "lost" }), { status: 409, code: "write_repeated" });
  });

  it("begins once of those that are started at the same time", async () => {
    const id = await draft([issue("write", "Once")]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => start(id, { mode: "node", nodeId: "write" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    const started = answers.find(({ status }) => status === 202);
    await ann.ended(started?.body.id);
    expect(titles()).toEqual(["Once"]);
  });

  it("is none where a node only reads", async () => {
    const request = (id: string, method: string) => node(id, "http_request", { method, url: `${github.url}/x` });
    const open = node("open", "http_request", { url: `${github.url}/x` });
    const instructed = { ...open, id: "instructed", instruction: "Create it with POST" };
    const id = await draft([
      node("now", "system_date_time"),
      request("get", "GET"),
      request("put", "PUT"),
      open,
      instructed,
    ]);
    for (const nodeId of ["now", "get", "now", "get", "put", "open", "open"])
      expect((await start(id, { mode: "node", nodeId })).status).toBe(202);
    expect((await start(id, { mode: "node", nodeId: "instructed" })).status).toBe(202);
    expectProblem(await start(id, { mode: "node", nodeId: "instructed" }), { status: 409, code: "write_repeated" });
    expectProblem(await start(id, { mode: "node", nodeId: "put" }), { status: 409, code: "write_repeated" });
  });
});

describe("pinned data", () => {
  const line = edges("write>after");
  const nodes = () => [issue("write", "Never"), say("after", "{{ $input.title }}")];

  it("stands for what a node gives in every run of the editor, and in no published run", async () => {
    const id = await draft(nodes(), line);
    const { status, body } = await pin(id, "write", { out: [{ title: "Pinned" }] });
    expect([status, body]).toMatchObject([
      200,
      { nodeId: "write", outputs: { out: [{ title: "Pinned" }] }, pinnedByName: "Ann" },
    ]);
    const { used, run } = await step(id, "after");
    expect([used, takenIn(run)]).toEqual([
      { write: "pinned", after: "ran" },
      { write: "pinned", after: null },
    ]);
    expect(outputsOf(run, "after")).toEqual(["Pinned"]);
    const whole = (await start(id, { mode: "all" })).body;
    expect(textsOf((await ann.ended(whole.id)).result)).toEqual(["Pinned"]);
    expect(titles()).toEqual([]);

    const published = await ann.owner.browser.post(`${pathOf(id)}/publish`, {});
    expect(published.body).toMatchObject({ version: 1, pinnedNodes: 1 });
    const runs = [await ann.run(id)];
    const manual = await ann.owner.browser.post(`${pathOf(id)}/runs`, {});
    runs.push(await ann.ended(manual.body.id));
    const hook = { workflowId: id, kind: "webhook", name: "Hook", signature: "none" };
    const { body: webhook } = await ann.owner.browser.post(`${ann.path}/triggers`, hook);
    await fetch(webhook.webhookUrl, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    const schedule = { workflowId: id, kind: "schedule", name: "Often", cron: "0 0 1 1 *", timeZone: "UTC" };
    const { body: ticking } = await ann.owner.browser.post(`${ann.path}/triggers`, schedule);
    await ann.owner.browser.post(`${ann.path}/triggers/${ticking.id}/test`, {});
    const caller = await ann.run(await ann.save([node("call", "call_workflow", { workflowId: id })], [], "Caller"));
    expect(textsOf(caller.result)).toEqual(["Never"]);
    await expect.poll(titles, { timeout: 10_000 }).toEqual(Array.from({ length: 5 }, () => "Never"));
    for (const one of runs)
      expect([textsOf(one.result), takenIn(one)]).toEqual([["Never"], { write: null, after: null }]);
  });

  it("lets go on after a node that is not finished, and is left aside when that node itself is run", async () => {
    const id = await draft(
      [unfinished, say("after", "{{ $input.title }}"), issue("real", "Real")],
      edges("unfinished>after"),
    );
    await pin(id, "unfinished", { out: [{ title: "Sample" }] });
    expect(outputsOf((await step(id, "after")).run, "after")).toEqual(["Sample"]);
    await pin(id, "real", { out: [{ title: "Pinned" }] });
    expect((await step(id, "real")).used).toEqual({ real: "ran" });
    expect(titles()).toEqual(["Real"]);
  });

  it("is kept while other nodes change and when the draft is published, and goes with its node", async () => {
    const id = await draft(nodes(), line);
    await pin(id, "write", { out: [{ title: "Pinned" }] });
    await pin(id, "after", { out: [] });
    const pins = async () => (await ann.owner.browser.get(`${pathOf(id)}/draft/pins`)).body.data;
    expect(await pins()).toMatchObject([
      { nodeId: "after", items: 0 },
      { nodeId: "write", items: 1, bytes: 28 },
    ]);
    // As older versions pinned it, without a number beside it.
    await ann.app.database.query("UPDATE workflow_pin SET item_count = NULL WHERE workflow_id = $1", [id]);
    expect((await pins()).map(({ items }: { items: number }) => items)).toEqual([0, 1]);
    await change(id, [issue("write", "Other"), say("after", "changed")], line);
    await ann.owner.browser.post(`${pathOf(id)}/publish`, {});
    expect((await pins()).map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(["after", "write"]);
    await change(id, [issue("write", "Other")]);
    expect((await pins()).map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(["after", "write"]);
    await ann.owner.browser.post(`${pathOf(id)}/publish`, {});
    expect((await pins()).map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(["write"]);
    expect((await ann.owner.browser.delete(`${pathOf(id)}/draft/pins/write`)).status).toBe(204);
    expectProblem(await ann.owner.browser.delete(`${pathOf(id)}/draft/pins/write`), { status: 404, code: "not_found" });
    expectProblem(await ann.owner.browser.get(`${pathOf(id)}/draft/pins/write`), { status: 404, code: "not_found" });
  });

  it("has room for ten megabytes in a workflow, and says what to do when that is full", async () => {
    const id = await draft([say("a", "A"), say("b", "B")]);
    await pin(id, "a", { out: [{ text: "A" }] });
    const fill = (letters: number) =>
      ann.app.database.query(
        "UPDATE workflow_pin SET outputs = repeat('x', $2) WHERE workflow_id = $1 AND node_id = 'a'",
        [id, letters],
      );
    await fill(9_999_900);
    const problem = expectProblem(await pin(id, "b", { out: [{ text: "x".repeat(100) }] }), {
      status: 413,
      code: "body_too_large",
    });
    expect(problem.detail).toContain("at most 10000000 can be. Unpin another node, or keep fewer items.");
    expect((await pin(id, "b", { out: [] })).status).toBe(200);
    expect((await pin(id, "a", { out: [{ text: "in place of the large one" }] })).status).toBe(200);
    // Whatever lies there is no JSON now, and still is listed.
    await fill(7);
    const { body } = await ann.owner.browser.get(`${pathOf(id)}/draft/pins`);
    expect(body.data).toMatchObject([
      { nodeId: "a", items: 1, bytes: 7 },
      { nodeId: "b", items: 0 },
    ]);
  });

  it("is refused where it is too large, no list of items, or for a node that there is not", async () => {
    const id = await draft(nodes(), line);
    expectProblem(await pin(id, "nowhere", { out: [] }), { status: 400, code: "unknown_node" });
    expectProblem(await pin(id, "write", { out: [7] }), { status: 400, code: "validation_failed" });
    const large = { out: [{ text: "x".repeat(1_000_000) }] };
    expectProblem(await pin(id, "write", large), { status: 413, code: "body_too_large" });
    expect((await pin(id, "write", { out: [{ text: "x".repeat(999_000) }] })).status).toBe(200);
    const { run } = await step(id, "after");
    expect(run.status).toBe("failed");
  });

  it("is another result to what comes after it", async () => {
    const id = await draft(
      [say("a", "A"), say("b", "{{ $input.text }}"), say("c", "{{ $input.text }}")],
      edges("a>b", "b>c"),
    );
    await step(id, "b");
    await pin(id, "a", { out: [{ text: "Pinned" }] });
    const { used, run } = await step(id, "c");
    expect([used, outputsOf(run, "c")]).toEqual([{ a: "pinned", b: "ran", c: "ran" }, ["Pinned"]]);
  });
});

describe("running again in the editor", () => {
  const line = edges("first>second", "second>third");
  const row = (last: string) => [issue("first", "First"), issue("second", "Second"), issue("third", last)];
  const rerun = (id: string, body: object) => ann.owner.browser.post(`${ann.path}/runs/${id}/rerun`, body);

  it("runs the draft from a node of a published run, with what that run gave before it", async () => {
    const id = await ann.save(row("Third"), line);
    const run = await ann.run(id);
    await change(id, [...row("Changed"), unfinished], line);
    github.forget();
    const { status, body } = await rerun(run.id, { version: "draft", from: "node", nodeId: "third" });
    expect(status).toBe(202);
    const repeated = await ann.ended(body.id);
    expect([repeated.status, titles()]).toEqual(["succeeded", ["Changed"]]);
    expect(repeated).toMatchObject({ executionType: "editor", rerunOf: run.id, workflowVersion: 0 });
    expect(takenIn(repeated)).toEqual({ first: run.id, second: run.id, third: null });
    expectProblem(await rerun(run.id, { version: "draft", from: "node", nodeId: "third" }), {
      status: 409,
      code: "write_repeated",
    });
    expectProblem(await rerun(run.id, { version: "draft", from: "node", nodeId: "nowhere" }), { code: "unknown_node" });
    const overridden = { version: "draft", from: "start", nodes: [{ id: "first" }] };
    expectProblem(await rerun(run.id, overridden), { status: 400, code: "validation_failed" });
  });

  it("does not execute again what failed while the run went on after it", async () => {
    const nodes = [issue("bad", "fail", { settings: { continueOnError: true } }), issue("after", "After")];
    const id = await ann.save(nodes, edges("bad>after"));
    const run = await ann.run(id);
    expect(run.nodes.map(({ status }) => status)).toEqual(["failed", "succeeded"]);
    await change(id, [nodes[0] as object, issue("after", "Changed")], edges("bad>after"));
    github.forget();
    const { body } = await rerun(run.id, { version: "draft", from: "node", nodeId: "after" });
    const repeated = await ann.ended(body.id);
    expect([takenIn(repeated), titles()]).toEqual([{ bad: run.id, after: null }, ["Changed"]]);
  });

  it("runs a step again on the canvas it had, with the data it had, and asks before it repeats a write", async () => {
    const id = await draft(row("Third"), line);
    const first = await step(id, "first");
    const second = await step(id, "second");
    await change(id, row("Other"), []);
    github.forget();
    expectProblem(await rerun(second.run.id, {}), { status: 409, code: "write_repeated" });
    const { body } = await rerun(second.run.id, { allowRepeat: true });
    const repeated = await ann.ended(body.id);
    expect([repeated.status, repeated.executionType, titles()]).toEqual(["succeeded", "step", ["Second"]]);
    expect(takenIn(repeated)).toEqual({ first: first.run.id, second: null });
  });

  it("keeps what was pinned pinned, whatever failed before it, and gives it to no published version", async () => {
    const lines = edges("a>write", "write>halt");
    const first = [say("a", "A"), issue("write", "Really")];
    const id = await ann.save([...first, say("halt", "on")], lines);
    await change(id, [...first, node("halt", "stop", { message: "No." })], lines);
    await pin(id, "write", { out: [{ text: "made up" }] });
    const { body } = await start(id, { mode: "all" });
    const failed = await ann.ended(body.id);
    expect([failed.status, takenIn(failed)]).toEqual(["failed", { a: null, write: "pinned", halt: null }]);
    const again = await rerun(failed.id, { from: "node", nodeId: "a" });
    expect(again.status).toBe(202);
    expect(takenIn(await ann.ended(again.body.id))).toMatchObject({ a: null, write: "pinned" });
    expect(titles()).toEqual([]);
    const live = await rerun(failed.id, { version: "current", from: "failure" });
    expect(takenIn(await ann.ended(live.body.id))).toMatchObject({ write: null });
    expect(titles()).toEqual(["Really"]);
  });

  it("asks before it executes a write that the run before had taken over", async () => {
    const lines = edges("a>write", "write>after");
    const id = await draft([say("a", "A"), issue("write", "Once"), say("after", "after")], lines);
    await step(id, "write");
    const { run } = await step(id, "after");
    expectProblem(await rerun(run.id, { from: "node", nodeId: "a" }), { status: 409, code: "write_repeated" });
    expect(titles()).toEqual(["Once"]);
  });

  it("does not begin at the start where no node failed", async () => {
    const id = await ann.save([issue("first", "First")]);
    const run = await ann.run(id);
    await change(id, [issue("first", "Other")]);
    expectProblem(await rerun(run.id, { version: "draft", from: "failure" }), {
      status: 400,
      code: "validation_failed",
    });
    expect(titles()).toEqual(["First"]);
  });

  it("says of a published run which nodes came from the run before", async () => {
    const run = await ann.run(await ann.save(row("Third"), line));
    const { body } = await rerun(run.id, { from: "node", nodeId: "third" });
    expect(takenIn(await ann.ended(body.id))).toEqual({ first: run.id, second: run.id, third: null });
  });
});
