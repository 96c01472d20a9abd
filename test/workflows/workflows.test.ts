import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  path = `/api/organizations/${ann.organizationId}/workflows`;
});
afterAll(() => app.stop());

const node = (id: string, others: object = {}) => ({ id, nodeId: "system_date_time", ...others });
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });
const canvasOf = (...ids: string[]) => ({
  nodes: ids.map((id) => node(id)),
  edges: ids.slice(1).map((id, index) => edge(ids[index] as string, id)),
});

async function create(request: object = {}, owner = ann) {
  const { status, body } = await owner.browser.post(`/api/organizations/${owner.organizationId}/workflows`, {
    name: "Morning mail",
    canvas: canvasOf("a", "b"),
    ...request,
  });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as {
    id: string;
    version: number;
    name: string;
    updatedAt: string;
    canvas: unknown;
    isActive: boolean;
    tool: unknown;
  };
}
const read = async (id: string) => (await ann.browser.get(`${path}/${id}`)).body;

describe("a saved workflow", () => {
  it("comes back as it was sent, to the order of its keys", async () => {
    const text =
      '{"edges":[{"target":"b","id":"e","source":"a"}],"nodes":[{"nodeId":"set_fields","parameters":{"fields":{"zeta":1.50,"alpha":[{},null,"ü\\n"]}},"id":"a","position":{"y":-2,"x":1e2}},{"id":"b","nodeId":"system_date_time","settings":{"retries":2}}]}';
    const saved = await ann.browser.post(path, `{"name":"Kept","canvas":${text}}`);
    expect(saved.status).toBe(201);
    const kept = JSON.stringify(JSON.parse(text));
    const { text: answer, body } = await ann.browser.get(`${path}/${saved.body.id}`);
    expect(answer).toContain(`"canvas":${kept}`);
    expect(body.canvasSha256).toBe(createHash("sha256").update(kept).digest("hex"));
    const [row] = await app.database.query("SELECT canvas FROM workflow_version WHERE workflow_id = $1", [
      saved.body.id,
    ]);
    expect(row?.canvas).toBe(kept);
  });

  it("tells who made it, what it is, and whether runs can be started", async () => {
    const made = await create({ description: "Every day", isActive: false });
    const { canvas: _, canvasSha256: _sha, ...summary } = await read(made.id);
    expect(summary).toEqual({
      id: made.id,
      name: "Morning mail",
      description: "Every day",
      folder: "",
      tags: [],
      isActive: false,
      version: 1,
      draft: null,
      nodeCount: 2,
      nodeKinds: ["system_date_time"],
      tool: null,
      errorWorkflow: "default",
      createdBy: ann.userId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it("tells the kinds of its nodes, each once, those of the newest canvas", async () => {
    const { id } = await create({ name: "Of two kinds" });
    const nodes = [node("a"), node("b", { nodeId: "start" }), node("c")];
    const changed = await ann.browser.patch(`${path}/${id}`, { canvas: { nodes, edges: [] }, expectedVersion: 1 });
    expect(changed.body).toMatchObject({ nodeCount: 3, nodeKinds: ["system_date_time", "start"] });
    const { body } = await ann.browser.get(`${path}?search=of two kinds`);
    expect(body.data).toMatchObject([{ id, nodeKinds: ["system_date_time", "start"] }]);
  });

  it("is what a run finds, until it is deleted; its version stays for the runs that are shown", async () => {
    const { id } = await create();
    const { find, versionCanvas } = app.parts.workflows;
    const text = JSON.stringify(canvasOf("a", "b"));
    const { organizationId } = ann;
    const found = { organizationId, id, name: "Morning mail", isActive: true, version: 1 };
    const asked = [id, id.toUpperCase(), randomUUID(), "some-workflow", id];
    expect(await Promise.all([...asked.map((one) => find(organizationId, one)), find(bob.organizationId, id)])).toEqual(
      [found, found, undefined, undefined, found, undefined],
    );
    expect((await ann.browser.delete(`${path}/${id}`)).status).toBe(204);
    expect(await find(ann.organizationId, id)).toBeUndefined();
    expect(await versionCanvas(ann.organizationId, id, 1)).toBe(text);
    expect(await versionCanvas(bob.organizationId, id, 1)).toBeUndefined();
    expect(await versionCanvas(ann.organizationId, id, 2)).toBeUndefined();
  });

  it("that was deleted answers 404 everywhere", async () => {
    const { id } = await create();
    await ann.browser.delete(`${path}/${id}`);
    for (const [method, end, body] of operations)
      expect((await ann.browser.send(method, `${path}/${id}${end}`, body)).status).toBe(404);
    expect((await ann.browser.get(path)).text).not.toContain(id);
  });
});

const operations = [
  ["GET", ""],
  ["PATCH", "", { name: "Other" }],
  ["PATCH", "", { canvas: { nodes: [], edges: [] }, expectedVersion: 1 }],
  ["POST", "/duplicate"],
  ["GET", "/versions"],
  ["GET", "/versions/1"],
  ["GET", "/versions/1/compare/1"],
  ["GET", "/versions/published/compare/draft"],
  ["POST", "/versions/1/restore"],
  ["GET", "/draft"],
  ["DELETE", "/draft"],
  ["POST", "/publish"],
  ["GET", "/file"],
  ["DELETE", ""],
] as const;

describe("changing a workflow", () => {
  it("makes a new version only of another canvas, and another time only of a real change", async () => {
    const made = await create({ description: "d", tool: { name: "mail", inputs: [] } });
    const at = `${path}/${made.id}`;
    const same = {
      name: made.name,
      description: "d",
      isActive: true,
      tool: made.tool,
      canvas: made.canvas,
      expectedVersion: 1,
    };
    const before = await read(made.id);
    expect((await ann.browser.patch(at, same)).body).toEqual({ ...before, warnings: [] });
    expect(await read(made.id)).toEqual(before);

    const renamed = (await ann.browser.patch(at, { name: "Evening mail", isActive: false, tool: null })).body;
    expect(renamed).toMatchObject({
      name: "Evening mail",
      isActive: false,
      tool: null,
      version: 1,
      canvas: made.canvas,
    });
    expect(renamed.updatedAt > before.updatedAt).toBe(true);

    const redrawn = (await ann.browser.patch(at, { canvas: canvasOf("a"), expectedVersion: 1, note: "Shorter" })).body;
    expect(redrawn).toMatchObject({ name: "Evening mail", version: 2, nodeCount: 1, canvas: canvasOf("a") });
    const { body } = await ann.browser.get(`${at}/versions`);
    expect(body).toMatchObject({
      total: 2,
      data: [
        { version: 2, note: "Shorter", createdBy: ann.userId },
        { version: 1, note: "" },
      ],
    });
  });

  it("refuses a change that was made on an older version", async () => {
    const { id } = await create();
    const change = (ids: string[], expectedVersion: number) =>
      ann.browser.patch(`${path}/${id}`, { canvas: canvasOf(...ids), expectedVersion });
    expect((await change(["x"], 1)).status).toBe(200);
    expectProblem(await change(["y"], 1), { status: 409, code: "conflict" });
    expectProblem(await ann.browser.patch(`${path}/${id}`, { name: "Late", expectedVersion: 1 }), {
      status: 409,
      code: "conflict",
    });
    expect(await read(id)).toMatchObject({ name: "Morning mail", version: 2, canvas: canvasOf("x") });
  });

  it("lets one of ten that save at the same time win", async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ann.browser.patch(`${path}/${id}`, { canvas: canvasOf(`n${index}`), expectedVersion: 1 }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await read(id)).version).toBe(2);
  });

  it.each<[string, object, string[]]>([
    ["nothing to change", {}, [""]],
    ["only a note", { note: "x" }, [""]],
    ["a canvas without the version it was made on", { canvas: { nodes: [], edges: [] } }, ["/expectedVersion"]],
    [
      "a canvas with faults",
      { canvas: { nodes: [{ id: "x", nodeId: "y" }], edges: [] }, expectedVersion: 1 },
      ["/canvas/nodes/0/nodeId"],
    ],
    ["an empty name", { name: " " }, ["/name"]],
    ["a name that no tool may have", { tool: { name: "Send Mail", inputs: [] } }, ["/tool/name"]],
    [
      "an unknown type of input",
      { tool: { name: "x", inputs: [{ name: "to", type: "date", description: "", required: true }] } },
      ["/tool/inputs/0/type"],
    ],
    [
      "an input without its fields",
      { tool: { name: "x", inputs: [{ name: "to" }] } },
      ["/tool/inputs/0/type", "/tool/inputs/0/description", "/tool/inputs/0/required"],
    ],
    [
      "two inputs of one name",
      {
        tool: {
          name: "x",
          inputs: ["string", "number"].map((type) => ({ name: "to", type, description: "", required: true })),
        },
      },
      ["/tool/inputs"],
    ],
  ])("refuses %s", async (_, change, pointers) => {
    const { id } = await create();
    const before = await read(id);
    const problem = expectProblem(await ann.browser.patch(`${path}/${id}`, change), {
      status: 400,
      code: "validation_failed",
    });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(await read(id)).toEqual(before);
  });
});

describe("a workflow as a tool", () => {
  const inputs = [{ name: "to", type: "string", description: "Whom to write to", required: true }];

  it("keeps its name and inputs, and no other workflow gets that name while it is there", async () => {
    const first = await create({ tool: { name: "write_mail", inputs } });
    expect((await read(first.id)).tool).toEqual({ name: "write_mail", inputs });
    const second = await create();
    const taken = { status: 409, code: "conflict" };
    expectProblem(
      await ann.browser.post(path, { name: "x", canvas: canvasOf("a"), tool: { name: "write_mail", inputs: [] } }),
      taken,
    );
    const problem = expectProblem(
      await ann.browser.patch(`${path}/${second.id}`, { tool: { name: "write_mail", inputs: [] } }),
      taken,
    );
    expect(problem.errors).toEqual([{ pointer: "/tool/name", detail: "is the name of another workflow's tool" }]);
    await create({ tool: { name: "write_mail", inputs } }, bob);
    await ann.browser.delete(`${path}/${first.id}`);
    expect((await ann.browser.patch(`${path}/${second.id}`, { tool: { name: "write_mail", inputs } })).status).toBe(
      200,
    );
  });
});

describe("the list", () => {
  it("has the newest change first, is searched and paged", async () => {
    const eve = await signUpOwner(app, "Eve");
    const at = `/api/organizations/${eve.organizationId}/workflows`;
    const ids: string[] = [];
    for (const name of ["One", "Two 100%", "Three_"])
      ids.push((await create({ name, description: `About ${name}` }, eve)).id);
    const names = async (query = "") => (await eve.browser.get(at + query)).body;
    expect((await names()).data.map(({ name }: { name: string }) => name)).toEqual(["Three_", "Two 100%", "One"]);
    await eve.browser.patch(`${at}/${ids[0]}`, { isActive: false });
    const page = await names("?offset=0&limit=2");
    expect([page.total, page.data.map(({ name }: { name: string }) => name)]).toEqual([3, ["One", "Three_"]]);
    expect(page.data[0]).not.toHaveProperty("canvas");
    expect((await names("?offset=2&limit=2")).data).toHaveLength(1);
    for (const [search, total] of [
      ["ABOUT two", 1],
      ["%25", 1],
      ["_", 1],
      ["\\", 0],
      ["about", 3],
      ["", 3],
    ] as const)
      expect([search, (await names(`?search=${search}`)).total]).toEqual([search, total]);
  });

  it("tells of each workflow how its last run went and how many triggers it has, and nothing of another organization", async () => {
    const fay = await signUpOwner(app, "Fay");
    const at = `/api/organizations/${fay.organizationId}`;
    const [busy, idle] = [await create({ name: "Busy" }, fay), await create({ name: "Idle" }, fay)];
    const entries = async () =>
      Object.fromEntries(
        (await fay.browser.get(`${at}/workflows`)).body.data.map(({ id, ...entry }: { id: string }) => [id, entry]),
      ) as Record<string, { lastRun: { id: string; status: string } | null; triggers: object }>;
    const start = async () => (await fay.browser.post(`${at}/workflows/${busy.id}/runs`, {})).body.id as string;
    await start();
    const last = await start();
    for (const active of [true, false, false]) {
      const request = {
        workflowId: busy.id,
        kind: "schedule",
        name: "Yearly",
        active,
        cron: "0 0 1 1 *",
        timeZone: "UTC",
      };
      expect((await fay.browser.post(`${at}/triggers`, request)).status).toBe(201);
    }
    await create({}, ann);
    await expect.poll(async () => (await entries())[busy.id]?.lastRun?.status, { timeout: 10_000 }).toBe("succeeded");
    const found = await entries();
    expect(found[busy.id]).toMatchObject({
      lastRun: { id: last, status: "succeeded", createdAt: expect.any(String), completedAt: expect.any(String) },
      triggers: { active: 1, total: 3 },
    });
    expect(found[idle.id]).toMatchObject({ lastRun: null, triggers: { active: 0, total: 0 } });
    expect((await fay.browser.get(`${at}/workflows?search=idle`)).body.data).toHaveLength(1);
    expect((await fay.browser.get(`${at}/workflows?search=nothing`)).body).toEqual({ data: [], total: 0 });
  });

  it.each(["limit=0", "limit=101", "offset=-1", "limit=x", `search=${"x".repeat(201)}`])(
    "refuses %s",
    async (query) => {
      expectProblem(await ann.browser.get(`${path}?${query}`), { status: 400, code: "validation_failed" });
    },
  );
});

describe("a duplicate", () => {
  it("has the same canvas, its own name and history, and is no tool", async () => {
    const made = await create({
      name: "n".repeat(200),
      description: "d",
      isActive: false,
      tool: { name: "original", inputs: [] },
    });
    const { status, body } = await ann.browser.post(`${path}/${made.id}/duplicate`);
    expect(status).toBe(201);
    expect(body).toMatchObject({ description: "d", isActive: false, tool: null, version: 1, canvas: made.canvas });
    expect([body.id === made.id, body.name]).toEqual([false, `${"n".repeat(193)} (copy)`]);
  });

  it("is a draft of what is edited where that is asked for, and off", async () => {
    const { id } = await create({ canvas: { nodes: [node("a")], edges: [] }, folder: "Mail", tags: ["daily"] });
    const edited = { nodes: [node("a"), node("b")], edges: [] };
    await ann.browser.patch(`${path}/${id}`, { canvas: edited, publish: false, expectedVersion: 1 });
    const { status, body } = await ann.browser.post(`${path}/${id}/duplicate`, { publish: false });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      version: 0,
      isActive: false,
      folder: "Mail",
      tags: ["daily"],
      draft: { revision: 1 },
    });
    expect((await ann.browser.get(`${path}/${body.id}/draft`)).body.canvas).toEqual(edited);
    const published = (await ann.browser.post(`${path}/${id}/duplicate`)).body;
    expect(published).toMatchObject({ version: 1, isActive: true, canvas: { nodes: [node("a")] } });
  });
});

describe("versions", () => {
  it("are read, compared and restored as a new version", async () => {
    const { id } = await create({
      canvas: {
        nodes: [
          node("a"),
          node("b", { name: "Clock", parameters: { timeZone: "UTC", format: "yyyy" }, position: { x: 1, y: 1 } }),
          node("c"),
        ],
        edges: [edge("a", "b"), edge("b", "c")],
      },
    });
    const at = `${path}/${id}`;
    const next = {
      nodes: [
        node("a"),
        node("b", {
          parameters: { timeZone: "Europe/Berlin", date: "2026-01-31" },
          position: { x: 2, y: 1 },
          settings: { retries: 1 },
        }),
        node("d"),
      ],
      edges: [edge("a", "b"), edge("b", "d")],
    };
    await ann.browser.patch(at, { canvas: next, expectedVersion: 1 });
    const { body: comparison } = await ann.browser.get(`${at}/versions/1/compare/2`);
    expect(comparison).toEqual({
      from: 1,
      to: 2,
      nodes: {
        added: [node("d")],
        removed: [node("c")],
        changed: [
          {
            id: "b",
            fields: [
              { pointer: "/name", before: "Clock" },
              { pointer: "/parameters/timeZone", before: "UTC", after: "Europe/Berlin" },
              { pointer: "/parameters/format", before: "yyyy" },
              { pointer: "/position", before: { x: 1, y: 1 }, after: { x: 2, y: 1 } },
              { pointer: "/parameters/date", after: "2026-01-31" },
              { pointer: "/settings/retries", after: 1 },
            ],
          },
        ],
      },
      edges: { added: [edge("b", "d")], removed: [edge("b", "c")] },
      notes: { added: [], removed: [], changed: [] },
    });
    const first = (await ann.browser.get(`${at}/versions/1`)).body;
    const restored = (await ann.browser.post(`${at}/versions/1/restore`)).body;
    expect(restored).toMatchObject({
      name: "Morning mail",
      version: 3,
      nodeCount: 3,
      canvas: first.canvas,
      canvasSha256: first.canvasSha256,
    });
    expect((await ann.browser.get(`${at}/versions/3`)).body).toMatchObject({
      note: "Version 1 restored",
      createdBy: ann.userId,
    });
    expect((await ann.browser.post(`${at}/versions/3/restore`)).body).toMatchObject({
      version: 3,
      updatedAt: restored.updatedAt,
    });
    const page = (await ann.browser.get(`${at}/versions?offset=1&limit=1`)).body;
    expect([page.total, page.data.map(({ version }: { version: number }) => version)]).toEqual([3, [2]]);
  });

  it("keep notes, and count one as changed when its text did, not when it was moved or resized", async () => {
    const note = (id: string, text: string, x = 0) => ({ id, text, x, y: 0, width: 240, height: 120 });
    const nodes = [node("a")];
    const before = [note("moved", "Stays"), note("told", "Ask Ann"), note("old", "Gone")];
    const after = [{ ...note("moved", "Stays", 90), width: 500 }, note("told", "Ask Ben"), note("new", "Here")];
    const { id } = await create({ canvas: { nodes, edges: [], notes: before } });
    await ann.browser.patch(`${path}/${id}`, { canvas: { nodes, edges: [], notes: after }, expectedVersion: 1 });
    const { body } = await ann.browser.get(`${path}/${id}/versions/1/compare/2`);
    expect(body.nodes).toEqual({ added: [], removed: [], changed: [] });
    expect(body.notes).toEqual({
      added: [note("new", "Here")],
      removed: [note("old", "Gone")],
      changed: [{ id: "told", before: "Ask Ann", after: "Ask Ben" }],
    });
    expect((await ann.browser.get(`${path}/${id}/versions/1`)).body.canvas.notes).toEqual(before);
  });

  it("are restored only when they are still valid", async () => {
    const { reference, id: credentialId } = await app.parts.vault.credentials.create(ann.organizationId, {
      type: "slack",
      name: "Gone soon",
      data: { kind: "bearer", accessToken: "x" },
      createdBy: null,
    });
    const parameters = { channel: "C1", text: "hi" };
    const { id } = await create({
      canvas: {
        nodes: [{ id: "say", nodeId: "slack_send_message", parameters, credentials: { slack: reference } }],
        edges: [],
      },
    });
    await ann.browser.patch(`${path}/${id}`, { canvas: canvasOf("a"), expectedVersion: 1 });
    await app.parts.vault.credentials.remove({ organizationId: ann.organizationId, credentialId });
    const problem = expectProblem(await ann.browser.post(`${path}/${id}/versions/1/restore`), {
      status: 400,
      code: "validation_failed",
    });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/canvas/nodes/0/credentials/slack"]);
    expect((await read(id)).version).toBe(2);
  });

  it.each([
    ["/versions/7", "GET", 404],
    ["/versions/1/compare/7", "GET", 404],
    ["/versions/7/compare/1", "GET", 404],
    ["/versions/7/restore", "POST", 404],
    ["/versions/0", "GET", 400],
    ["/versions/x", "GET", 400],
    ["/versions/1/compare/99999999999", "GET", 400],
  ] as const)("that do not exist are answered so: %s", async (end, method, status) => {
    const { id } = await create();
    expectProblem(await ann.browser.send(method, `${path}/${id}${end}`), { status });
  });
});

describe("who may do what", () => {
  const writing = [
    ["POST", "", { name: "x", canvas: { nodes: [], edges: [] } }],
    ["POST", "/check", { canvas: { nodes: [], edges: [] } }],
    [
      "POST",
      "/import",
      { format: "switchyard.workflow", formatVersion: 1, name: "x", canvas: { nodes: [], edges: [] } },
    ],
    ["PATCH", "/:id", { name: "y" }],
    ["POST", "/:id/duplicate"],
    ["POST", "/:id/versions/1/restore"],
    ["DELETE", "/:id"],
  ] as const;
  const reading = ["", "/:id", "/:id/versions", "/:id/versions/1", "/:id/versions/1/compare/1", "/:id/file"];

  it("lets viewers read and not write", async () => {
    const { id } = await create();
    const { browser } = await signUpMember(app, ann.organizationId, "Vera", "viewer");
    for (const end of reading)
      expect([end, (await browser.get(path + end.replace(":id", id))).status]).toEqual([end, 200]);
    for (const [method, end, body] of writing)
      expectProblem(await browser.send(method, path + end.replace(":id", id), body), {
        status: 403,
        code: "role_required",
      });
  });

  it("lets members write", async () => {
    const { id } = await create();
    const { browser } = await signUpMember(app, ann.organizationId, "Mel", "member");
    for (const [method, end, body] of writing) {
      const { status } = await browser.send(method, path + end.replace(":id", id), body);
      expect([method, end, status]).toEqual([
        method,
        end,
        expect.toSatisfy((code: number) => code >= 200 && code < 300),
      ]);
    }
  });

  it("answers a foreign workflow as if it did not exist, and leaves it as it was", async () => {
    const { id } = await create({}, bob);
    const theirs = `/api/organizations/${bob.organizationId}/workflows`;
    const before = (await bob.browser.get(`${theirs}/${id}`)).text;
    for (const [method, end, body] of operations) {
      const [foreign, unknown, through] = await Promise.all(
        [`${path}/${id}${end}`, `${path}/${randomUUID()}${end}`, `${theirs}/${id}${end}`].map((at) =>
          ann.browser.send(method, at, body),
        ),
      );
      expect([foreign?.status, unknown?.status, through?.status]).toEqual([404, 404, 404]);
      expect([foreign?.body.code, foreign?.body.detail]).toEqual([unknown?.body.code, unknown?.body.detail]);
    }
    expect((await bob.browser.get(`${theirs}/${id}`)).text).toBe(before);
    expect((await ann.browser.get(path)).text).not.toContain(id);
  });
});
