import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const set = (name: string, value: unknown, browser = ann.owner.browser, path = ann.path) =>
  browser.send("PUT", `${path}/variables/${name}`, { value });
const list = async () => (await ann.owner.browser.get(`${ann.path}/variables`)).body.data as Record<string, unknown>[];
const say = (text: string) => node("say", "set_fields", { fields: { text } });
const textOf = (run: { result: Record<string, unknown>[] | null }) => run.result?.[0]?.text;

describe("variables of an organization", () => {
  it("are texts, numbers and booleans, with who changed them", async () => {
    for (const [name, value] of Object.entries({ region: "eu", limit: 5, isLive: true })) {
      const { status, body } = await set(name, value);
      expect([status, body]).toEqual([200, { name, value, changedByName: "Ann", changedAt: expect.any(String) }]);
    }
    expect((await set("limit", 6)).body.value).toBe(6);
    expect((await list()).map(({ name, value }) => [name, value])).toEqual([
      ["isLive", true],
      ["limit", 6],
      ["region", "eu"],
    ]);
    expect((await ann.owner.browser.delete(`${ann.path}/variables/isLive`)).status).toBe(204);
    expectProblem(await ann.owner.browser.delete(`${ann.path}/variables/isLive`), { status: 404, code: "not_found" });
  });

  it.each([
    ["a name that begins with a digit", "1st", "x"],
    ["a name with a hyphen", "my-name", "x"],
    ["a word of expressions", "and", "x"],
    ["a name that every object has", "constructor", "x"],
    ["a list", "list", [1]],
    ["an object", "object", { a: 1 }],
    ["null", "nothing", null],
    ["a text that is too long", "long", "x".repeat(5001)],
  ])("are refused with %s", async (_what, name, value) => {
    expectProblem(await set(name, value), { status: 400, code: "validation_failed" });
  });

  it("are at most a hundred, and an old one can still be changed then", async () => {
    const bob = await signUpOwner(ann.app, "Bob");
    const path = `/api/organizations/${bob.organizationId}`;
    for (let number = 0; number < 100; number++)
      expect((await set(`v${number}`, number, bob.browser, path)).status).toBe(200);
    expectProblem(await set("more", 1, bob.browser, path), { status: 409, code: "conflict" });
    expect((await set("v7", "seven", bob.browser, path)).status).toBe(200);
  });

  it("are read by viewers and changed by members", async () => {
    const viewer = await signUpMember(ann.app, ann.owner.organizationId, "viewer", "viewer");
    const member = await signUpMember(ann.app, ann.owner.organizationId, "member", "member");
    expect((await viewer.browser.get(`${ann.path}/variables`)).status).toBe(200);
    expectProblem(await set("mine", 1, viewer.browser), { status: 403, code: "role_required" });
    expectProblem(await viewer.browser.delete(`${ann.path}/variables/region`), { status: 403, code: "role_required" });
    expect((await set("mine", 1, member.browser)).status).toBe(200);
  });
});

describe("$vars", () => {
  it("stands for the variables of the organization, in texts, in JSONata and in conditions", async () => {
    await set("region", "eu");
    await set("limit", 5);
    const id = await ann.save([say("{{ $vars.region }} {{ $vars.limit * 2 }} {{ $count($keys($vars)) > 1 }}")]);
    expect(textOf(await ann.run(id))).toBe("eu 10 true");
    const filter = node("filter", "filter", {
      condition: { match: "all", rows: [{ field: "$vars.limit", operator: "is_more_than", value: 4 }] },
    });
    const filtered = await ann.run(await ann.save([filter]), { payload: { a: 1 } });
    expect(filtered.result).toHaveLength(1);
  });

  it("is nothing of another organization", async () => {
    await set("own", "of Ann");
    const eve = await signUpOwner(ann.app, "Eve");
    const path = `/api/organizations/${eve.organizationId}`;
    const canvas = { nodes: [say("{{ $vars.own }}")], edges: [] };
    const { body } = await eve.browser.post(`${path}/workflows`, { name: "Look", canvas });
    expect(body.warnings).toEqual([
      {
        pointer: "/canvas/nodes/0/parameters",
        detail: "names $vars.own, and your organization has no variable own yet",
      },
    ]);
    const { body: run } = await eve.browser.post(`${path}/workflows/${body.id}/runs`, {});
    const read = async () => (await eve.browser.get(`${path}/runs/${run.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe("failed");
    expect(await read()).toMatchObject({ error: { code: "reference_unresolved" }, variables: {} });
    expect(JSON.stringify(await read())).not.toContain("of Ann");
  });

  it("is as it was when the run began, also after a wait; a rerun takes the values of now", async () => {
    await set("stage", "first");
    const wait = node("wait", "wait", { milliseconds: 2000 });
    const id = await ann.save([wait, say("{{ $vars.stage }}")], [{ id: "e", source: "wait", target: "say" }]);
    const { body: accepted } = await ann.trigger(id, {});
    await expect.poll(async () => (await ann.readRun(accepted.id)).body.status).toBe("waiting");
    await set("stage", "second");
    const run = await ann.ended(accepted.id);
    expect([textOf(run), run.variables]).toEqual(["first", { stage: "first" }]);
    const { body: again } = await ann.owner.browser.post(`${ann.path}/runs/${run.id}/rerun`, {});
    expect(textOf(await ann.ended(again.id))).toBe("second");
  });

  it("costs a run that does not name it nothing", async () => {
    const id = await ann.save([say("plain")]);
    expect((await ann.run(id)).variables).toBeNull();
    const kept = "SELECT id FROM run WHERE workflow_id = $1 AND variables IS NOT NULL";
    expect(await ann.app.database.query(kept, [id])).toEqual([]);
  });

  it("is seen by previews and offered to the form, as it is now", async () => {
    await set("region", "us");
    const id = await ann.save([say("x")]);
    const at = `${ann.path}/workflows/${id}`;
    const canvas = { nodes: [say("x")], edges: [] };
    const preview = await ann.owner.browser.post(`${at}/preview-value`, {
      canvas,
      nodeId: "say",
      value: "In {{ $vars.region }}",
    });
    expect(preview.body.result).toEqual({ value: "In us" });
    expect((await ann.owner.browser.get(`${at}/preview-scope`)).body.vars).toMatchObject({ region: "us" });
  });

  it("is not named by a note, nor by what no variable can be called", async () => {
    const long = `$vars.${"a".repeat(65)}`;
    const id = await ann.save([{ ...say(`{{ ${long} & $vars.region }}`), note: `${long} $vars.noted` }], [], "Long");
    const { status, body } = await ann.owner.browser.get(`${ann.path}/workflows/${id}/file`);
    expect([status, body.variables]).toEqual([200, ["region"]]);
  });

  it("is warned of a hundred times at most", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `$vars.absent${index}`).join(" & ");
    const canvas = { nodes: [say(`{{ ${names} }}`)], edges: [] };
    const { body } = await ann.owner.browser.post(`${ann.path}/workflows/check`, { canvas });
    expect(body.warnings).toHaveLength(100);
  });

  it("is named in the file of a workflow without its values, and an import says what is missing", async () => {
    await set("region", "eu");
    const id = await ann.save([say("{{ $vars.region }}{{ $vars.missing }}")]);
    const { body: file } = await ann.owner.browser.get(`${ann.path}/workflows/${id}/file`);
    expect(file.variables).toEqual(["missing", "region"]);
    const { body } = await ann.owner.browser.post(`${ann.path}/workflows/import`, file);
    expect(body.warnings).toEqual([
      {
        pointer: "/canvas/nodes/0/parameters",
        detail: "names $vars.missing, and your organization has no variable missing yet",
      },
    ]);
  });

  it("makes a step of the editor run again when a value has changed", async () => {
    await set("word", "one");
    const nodes = [say("{{ $vars.word }}"), node("next", "set_fields", { fields: { text: "{{ $input.text }}!" } })];
    const canvas = { nodes, edges: [{ id: "e", source: "say", target: "next" }] };
    const { body } = await ann.owner.browser.post(`${ann.path}/workflows`, { name: "Steps", canvas, publish: false });
    const step = async () => {
      const at = `${ann.path}/workflows/${body.id}/draft/runs`;
      const started = await ann.owner.browser.post(at, { mode: "node", nodeId: "next" });
      return { used: started.body.nodes, run: await ann.ended(started.body.id) };
    };
    expect(textOf((await step()).run)).toBe("one!");
    expect((await step()).used).not.toContainEqual({ id: "say", data: "ran" });
    await set("word", "two");
    const { used, run } = await step();
    expect([used[0], textOf(run)]).toEqual([{ id: "say", data: "ran" }, "two!"]);
  });
});
