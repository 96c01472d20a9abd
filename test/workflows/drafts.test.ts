import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;
let path: string;

beforeAll(async () => {
  flows = await startWorkflowApp();
  path = `${flows.path}/workflows`;
});
afterAll(() => flows.stop());

const browser = () => flows.owner.browser;
const marked = (mark: string) => ({ nodes: [node("a", "set_fields", { fields: { mark } })], edges: [] });
const faulty = { nodes: [{ id: "a", nodeId: "no_such_node" }, { id: "b" }], edges: [{ id: "e" }] };
const faultsOfFaulty = ["/canvas/nodes/0/nodeId", "/canvas/nodes/1/nodeId", "/canvas/edges/0/source"];

async function create(request: object = {}) {
  const { status, body } = await browser().post(path, { name: "Mail", canvas: marked("one"), ...request });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
}
const read = async (id: string) => (await browser().get(`${path}/${id}`)).body;
const saveDraft = (id: string, canvas: object, others: object = {}) =>
  browser().patch(`${path}/${id}`, { canvas, publish: false, expectedVersion: 1, ...others });
const publish = (id: string, body?: object) => browser().post(`${path}/${id}/publish`, body);
const readDraft = async (id: string) => (await browser().get(`${path}/${id}/draft`)).body;
const pointersOf = (list: { pointer: string }[]) => list.map(({ pointer }) => pointer);

describe("a workflow that begins as a draft", () => {
  it("is off, has no version, and keeps a canvas with faults as it was sent", async () => {
    const made = await create({ canvas: faulty, publish: false });
    expect(made).toMatchObject({ isActive: false, version: 0, canvas: { nodes: [], edges: [] } });
    expect(pointersOf(made.faults)).toEqual(expect.arrayContaining(faultsOfFaulty));
    const draft = await readDraft(made.id);
    expect(draft).toMatchObject({ revision: 1, basedOn: 0, savedBy: flows.owner.userId, savedByName: "Ann" });
    expect([draft.canvas, draft.faults, draft.faultCount]).toEqual([faulty, made.faults, made.faults.length]);
    expect((await browser().get(`${path}/${made.id}/versions`)).body).toEqual({ data: [], total: 0 });
    const { body: list } = await browser().get(`${path}?search=mail`);
    expect(list.data).toContainEqual(expect.objectContaining({ id: made.id, version: 0, draft: made.draft }));
  });

  it.each([
    ["no list of nodes", { nodes: "none", edges: null }],
    ["nothing at all", {}],
    ["nodes that are none", { nodes: [null, 7, "x", [], { id: 1 }, { id: "a" }, { id: "a" }], edges: [null, 3] }],
    ["names of nodes that are none", { nodes: [{ id: "a b", nodeId: "x".repeat(5000) }, { nodeId: 7 }], edges: [] }],
    ["too many nodes", { nodes: Array.from({ length: 501 }, (_, at) => node(`n${at}`, "start")), edges: [] }],
  ])("may be wrong in any way: %s", async (_, canvas) => {
    const { id } = await create({ canvas, publish: false });
    expect((await readDraft(id)).canvas).toEqual(canvas);
    expect((await read(id)).draft.faultCount).toBeGreaterThan(0);
    expect((await browser().get(`${path}/${id}/versions/published/compare/draft`)).status).toBe(200);
    expect((await browser().get(`${path}/${id}/file`)).body.canvas).toEqual(canvas);
    expect((await browser().post(`${path}/${id}/duplicate`)).body).toMatchObject({ version: 0, isActive: false });
    expectProblem(await publish(id), { status: 400, code: "validation_failed" });
    expect((await readDraft(id)).revision).toBe(1);
  });

  it("starts no run in any way before it is published, and then it does", async () => {
    const { id } = await create({ publish: false, tool: { name: "draft_tool", inputs: [] } });
    const refused = { status: 409, code: "workflow_not_published" };
    const triggered = await flows.trigger(id);
    expect([triggered.status, triggered.body.code]).toEqual([409, "workflow_not_published"]);
    expectProblem(await browser().post(`${path}/${id}/runs`, {}), refused);
    expectProblem(await browser().patch(`${path}/${id}`, { isActive: true }), refused);
    expectProblem(await browser().post(path, { name: "x", canvas: faulty, isActive: true, publish: false }), refused);
    expect(await flows.app.parts.workflows.listTools(flows.owner.organizationId)).toEqual([]);

    const hook = { workflowId: id, kind: "webhook", name: "Hook", signature: "none" };
    const { body: webhook } = await browser().post(`${flows.path}/triggers`, hook);
    const deliver = () => fetch(webhook.webhookUrl, { method: "POST", body: "{}", headers: json });
    const refusal = await deliver();
    expect([refusal.status, await refusal.json()]).toMatchObject([409, { code: refused.code }]);
    const schedule = { workflowId: id, kind: "schedule", name: "Often", cron: "* * * * *", timeZone: "UTC" };
    const { body: ticking } = await browser().post(`${flows.path}/triggers`, schedule);
    expectProblem(await browser().post(`${flows.path}/triggers/${ticking.id}/test`, {}), refused);
    const caller = await flows.save([node("call", "call_workflow", { workflowId: id })], [], "Caller");
    expect((await flows.run(caller)).error).toMatchObject({ code: refused.code, nodeId: "call" });
    expect(await flows.app.database.query("SELECT id FROM run WHERE workflow_id = $1", [id])).toEqual([]);

    const published = await publish(id, { note: "First" });
    expect(published.body).toMatchObject({ version: 1, isActive: true, draft: null, canvas: marked("one") });
    expect((await flows.run(id)).result).toEqual([{ mark: "one" }]);
    expect((await deliver()).status).toBe(202);
    expect((await flows.run(caller)).status).toBe("succeeded");
    expect(await flows.app.parts.workflows.listTools(flows.owner.organizationId)).toMatchObject([{ id }]);
  });

  it("stays off where the publication says so, and is never off without a draft", async () => {
    const { id } = await create({ publish: false });
    expectProblem(await browser().delete(`${path}/${id}/draft`), { status: 409, code: "workflow_not_published" });
    expect((await publish(id, { isActive: false })).body).toMatchObject({ version: 1, isActive: false });
  });

  it("is published by a change without faults, as programs make it", async () => {
    const { id } = await create({ canvas: faulty, publish: false });
    const change = { canvas: marked("two"), expectedVersion: 0 };
    const { body } = await browser().patch(`${path}/${id}`, change);
    expect(body).toMatchObject({ version: 1, isActive: true, canvas: marked("two"), draft: { basedOn: 0 } });
    expectProblem(await browser().patch(`${path}/${id}`, change), { status: 409, code: "conflict" });
  });
});

const json = { "content-type": "application/json" };

describe("a draft beside a published version", () => {
  it("does not run: the published version does until the draft is published", async () => {
    const { id } = await create();
    const { body } = await saveDraft(id, marked("two"));
    expect(body).toMatchObject({ version: 1, canvas: marked("one"), faults: [], draft: { revision: 1, basedOn: 1 } });
    const before = await flows.run(id);
    expect([before.workflowVersion, before.result]).toEqual([1, [{ mark: "one" }]]);
    const published = (await publish(id, { note: "Second", expectedDraft: 1 })).body;
    expect(published).toMatchObject({ version: 2, draft: null, canvas: marked("two") });
    const after = await flows.run(id);
    expect([after.workflowVersion, after.result]).toEqual([2, [{ mark: "two" }]]);
    const again = await browser().post(`${flows.path}/runs/${before.id}/rerun`, { version: "current" });
    expect((await flows.ended(again.body.id)).result).toEqual([{ mark: "two" }]);
    const { body: versions } = await browser().get(`${path}/${id}/versions`);
    expect(versions.data).toMatchObject([
      { version: 2, note: "Second", createdBy: flows.owner.userId, createdByKey: null, createdByName: "Ann" },
      { version: 1, note: "" },
    ]);
    expectProblem(await publish(id), { status: 404, code: "not_found" });
  });

  it("tells the later of two who save, publish or discard it, and keeps what the first saved", async () => {
    const { id } = await create();
    const ben = (await signUpMember(flows.app, flows.owner.organizationId, "Ben", "member")).browser;
    const save = (who: typeof ben, mark: string, expectedDraft?: number) =>
      who.patch(`${path}/${id}`, { canvas: marked(mark), publish: false, expectedVersion: 1, expectedDraft });
    expect((await save(ben, "ben")).status).toBe(200);
    const conflict = { status: 409, code: "conflict" };
    const told = expectProblem(await save(browser(), "ann"), conflict);
    expect(told.detail).toContain("Ben has saved a draft of this workflow: it is at revision 1 now.");
    expect((await save(browser(), "ann", 1)).body.draft).toMatchObject({ revision: 2, savedByName: "Ann" });
    expectProblem(await save(ben, "ben again", 1), conflict);
    expectProblem(await publish(id, { expectedDraft: 1 }), conflict);
    expectProblem(await browser().delete(`${path}/${id}/draft?expectedDraft=1`), conflict);
    expect((await readDraft(id)).canvas).toEqual(marked("ann"));
    expect((await browser().delete(`${path}/${id}/draft?expectedDraft=2`)).status).toBe(204);
    expect(await read(id)).toMatchObject({ version: 1, draft: null, canvas: marked("one") });
    // The draft that Ben still looks at is gone, and the next one is not mistaken for it.
    expectProblem(await save(ben, "late", 2), conflict);
    expect((await save(ben, "anew")).body.draft.revision).toBe(4);
  });

  it("lets one of ten win that save at the same time", async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => saveDraft(id, marked(`n${at}`))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await readDraft(id)).revision).toBe(1);
  });

  it("changes nothing when it is saved as it is", async () => {
    const { id } = await create();
    const before = await read(id);
    expect((await saveDraft(id, marked("one"))).body).toMatchObject({ draft: null, updatedAt: before.updatedAt });
    await saveDraft(id, marked("two"));
    const draft = await readDraft(id);
    expect((await saveDraft(id, marked("two"), { expectedDraft: 1 })).status).toBe(200);
    expect(await readDraft(id)).toEqual(draft);
  });

  it("is not published over a version that came since, unless that is said", async () => {
    const { id } = await create();
    await saveDraft(id, marked("draft"));
    await browser().patch(`${path}/${id}`, { canvas: marked("program"), expectedVersion: 1 });
    const told = expectProblem(await publish(id), { status: 409, code: "conflict" });
    expect(told.detail).toContain("made on version 1, and version 2 was published since");
    expectProblem(await saveDraft(id, marked("draft 2"), { expectedDraft: 1 }), { status: 409, code: "conflict" });
    expect((await publish(id, { expectedVersion: 2 })).body).toMatchObject({ version: 3, canvas: marked("draft") });
  });

  it("is refused with all of its faults, and is checked anew when it is published", async () => {
    const { id } = await create();
    const { vault } = flows.app.parts;
    const { organizationId } = flows.owner;
    const data = { kind: "bearer", accessToken: "x" };
    const { reference, id: credentialId } = await vault.credentials.create(organizationId, {
      type: "slack",
      name: "Gone soon",
      data,
      createdBy: null,
    });
    const parameters = { channel: "C1", text: "hi" };
    const say = { id: "say", nodeId: "slack_send_message", parameters, credentials: { slack: reference } };
    expect((await saveDraft(id, { nodes: [say], edges: [] })).body.faults).toEqual([]);
    const { body: uses } = await browser().get(`${flows.path}/credentials/${credentialId}/uses`);
    expect(uses.workflows).toEqual([{ id, name: "Mail", nodes: [{ id: "say", name: null, nodeId: say.nodeId }] }]);
    await vault.credentials.remove({ organizationId, credentialId });
    const problem = expectProblem(await publish(id), { status: 400, code: "validation_failed" });
    expect(pointersOf(problem.errors ?? [])).toEqual(["/canvas/nodes/0/credentials/slack"]);
    await saveDraft(id, faulty, { expectedDraft: 1 });
    const all = expectProblem(await publish(id), { status: 400, code: "validation_failed" });
    expect(pointersOf(all.errors ?? [])).toEqual(expect.arrayContaining(faultsOfFaulty));
    expect(await read(id)).toMatchObject({ version: 1, draft: { revision: 2 } });
  });
});

describe("comparing and rolling back", () => {
  it("names what the draft changes: nodes, their values with paths, and edges", async () => {
    const { id } = await create();
    const added = node("b", "start");
    const nodes = [node("a", "set_fields", { fields: { mark: "two" } }), added];
    await saveDraft(id, { nodes, edges: [{ id: "e", source: "a", target: "b" }] });
    const compare = async (ways: string) => (await browser().get(`${path}/${id}/versions/${ways}`)).body;
    const expected = {
      from: 1,
      to: "draft",
      nodes: {
        added: [added],
        removed: [],
        changed: [
          { id: "a", fields: [{ pointer: "/parameters/fields", before: { mark: "one" }, after: { mark: "two" } }] },
        ],
      },
      edges: { added: [{ id: "e", source: "a", target: "b" }], removed: [] },
      notes: { added: [], removed: [], changed: [] },
    };
    expect(await compare("published/compare/draft")).toEqual(expected);
    expect(await compare("1/compare/draft")).toEqual(expected);
    expect((await compare("draft/compare/published")).nodes.removed).toEqual([added]);
    await browser().delete(`${path}/${id}/draft`);
    expectProblem(await browser().get(`${path}/${id}/versions/1/compare/draft`), { status: 404, code: "not_found" });
  });

  it("compares a first draft with nothing", async () => {
    const { id } = await create({ publish: false });
    const { body } = await browser().get(`${path}/${id}/versions/published/compare/draft`);
    expect(body).toMatchObject({ from: 0, to: "draft", nodes: { added: marked("one").nodes, removed: [] } });
  });

  it("publishes an old version again as a new one, with a note, and leaves the draft", async () => {
    const { id } = await create();
    await browser().patch(`${path}/${id}`, { canvas: marked("two"), expectedVersion: 1 });
    await saveDraft(id, marked("draft"), { expectedVersion: 2 });
    const { body } = await browser().post(`${path}/${id}/versions/1/restore`, { note: "Two was wrong" });
    expect(body).toMatchObject({ version: 3, canvas: marked("one"), draft: { revision: 1, basedOn: 2 } });
    const { body: versions } = await browser().get(`${path}/${id}/versions?limit=1`);
    expect(versions).toMatchObject({ total: 3, data: [{ version: 3, note: "Two was wrong", createdByName: "Ann" }] });
    expect((await flows.run(id)).result).toEqual([{ mark: "one" }]);
  });
});

describe("files and copies", () => {
  it("are imported as a draft where that is said, and carry the draft of what was never published", async () => {
    const file = { format: "switchyard.workflow", formatVersion: 1, name: "File", canvas: faulty };
    expectProblem(await browser().post(`${path}/import`, file), { status: 400, code: "validation_failed" });
    const { status, body } = await browser().post(`${path}/import`, { ...file, publish: false });
    expect([status, body.version, body.isActive]).toEqual([201, 0, false]);
    expect(pointersOf(body.faults)).toEqual(expect.arrayContaining(faultsOfFaulty));
    expect((await browser().get(`${path}/${body.id}/file`)).body).toMatchObject({ name: "File", canvas: faulty });
    const copy = (await browser().post(`${path}/${body.id}/duplicate`)).body;
    expect([copy.version, (await readDraft(copy.id)).canvas]).toEqual([0, faulty]);
  });

  it("carry what runs, or the draft beside it where that is asked for", async () => {
    const { id } = await create();
    const [{ canvas: runs }, file] = [await read(id), (query: string) => browser().get(`${path}/${id}/file${query}`)];
    expect((await file("?draft=true")).body.canvas).toEqual(runs);
    await saveDraft(id, faulty);
    for (const query of ["", "?draft=false"]) expect((await file(query)).body.canvas).toEqual(runs);
    expect((await file("?draft=true")).body.canvas).toEqual(faulty);
    expectProblem(await file("?draft=maybe"), { status: 400, code: "validation_failed" });
  });

  it("say which key made a version", async () => {
    const { workflows } = flows.app.parts;
    const apiKeyId = "0197f0a0-0000-7000-8000-000000000001";
    const author = { userId: null, apiKeyId, name: "Builder" };
    const { organizationId } = flows.owner;
    const made = await workflows.create(organizationId, { name: "By a key", canvas: marked("one") }, author);
    await workflows.update(
      { organizationId, workflowId: made.id },
      { canvas: marked("two"), expectedVersion: 1, publish: false },
      author,
    );
    expect(await readDraft(made.id)).toMatchObject({ savedBy: null, savedByKey: apiKeyId, savedByName: "Builder" });
    const { body } = await browser().get(`${path}/${made.id}/versions/1`);
    expect(body).toMatchObject({ createdBy: null, createdByKey: apiKeyId, createdByName: "Builder" });
  });
});

describe("a process from before there were drafts, on the same database", () => {
  const sql = (text: string, values: unknown[]) => flows.app.database.query(text, values);

  it("saves a version that runs at once, and the draft beside it stays and is told", async () => {
    const { id } = await create();
    await saveDraft(id, marked("draft"));
    const [text, place] = [JSON.stringify(marked("old process")), [flows.owner.organizationId, id]];
    await sql(
      "INSERT INTO workflow_version (organization_id, workflow_id, version, canvas, canvas_sha256, note) VALUES ($1, $2, 2, $3, '', '')",
      [...place, text],
    );
    await sql("UPDATE workflow SET version = 2 WHERE organization_id = $1 AND id = $2", place);
    expect((await flows.run(id)).result).toEqual([{ mark: "old process" }]);
    expectProblem(await publish(id), { status: 409, code: "conflict" });
    expect((await readDraft(id)).canvas).toEqual(marked("draft"));
  });

  it("finds what was never published off, without a canvas, and with a version that it can show", async () => {
    const { id } = await create({ publish: false });
    const place = [flows.owner.organizationId, id];
    const [row] = await sql("SELECT is_active, version FROM workflow WHERE organization_id = $1 AND id = $2", place);
    expect(row).toEqual({ is_active: false, version: 1 });
    const versions = "SELECT version FROM workflow_version WHERE organization_id = $1 AND workflow_id = $2";
    expect(await sql(versions, place)).toEqual([]);
    const turnOn = sql("UPDATE workflow SET is_active = true WHERE organization_id = $1 AND id = $2", place);
    await expect(turnOn).rejects.toThrow("workflow_off_until_published");
  });
});

describe("who may", () => {
  it("lets viewers read drafts and not publish or discard them, and answers strangers as if there were none", async () => {
    const { id } = await create();
    await saveDraft(id, marked("two"));
    const viewer = (await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer")).browser;
    const bob = await signUpOwner(flows.app, "Bob");
    const foreign = `/api/organizations/${bob.organizationId}/workflows/${id}`;
    const ways = [
      ["GET", "/draft", 200],
      ["GET", "/versions/published/compare/draft", 200],
      ["DELETE", "/draft", 403],
      ["POST", "/publish", 403],
    ] as const;
    for (const [method, end, status] of ways) {
      expect([end, (await viewer.send(method, `${path}/${id}${end}`)).status]).toEqual([end, status]);
      for (const at of [foreign, `${path}/${id}`])
        expect([end, (await bob.browser.send(method, `${at}${end}`)).status]).toEqual([end, 404]);
    }
    expect((await readDraft(id)).revision).toBe(1);
  });
});
