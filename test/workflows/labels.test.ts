import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const canvas = { nodes: [node("start", "start")], edges: edges() };
const create = async (name: string, labels: object = {}) => {
  const { status, body } = await ann.owner.browser.post(`${ann.path}/workflows`, { name, canvas, ...labels });
  expect(status).toBe(201);
  return body.id as string;
};
const namesOf = async (search: string) =>
  (await ann.owner.browser.get(`${ann.path}/workflows?${search}`)).body.data.map(({ name }: { name: string }) => name);

describe("folders and tags", () => {
  it("are given when a workflow is made or changed, and tidied", async () => {
    const id = await create("Labelled", { folder: " Sales / Invoices ", tags: ["b", " a ", "b"] });
    const read = async () => (await ann.owner.browser.get(`${ann.path}/workflows/${id}`)).body;
    expect(await read()).toMatchObject({ folder: "Sales/Invoices", tags: ["a", "b"] });
    const changed = await ann.owner.browser.patch(`${ann.path}/workflows/${id}`, { folder: "", tags: [] });
    expect([changed.status, changed.body.version]).toEqual([200, 1]);
    expect(await read()).toMatchObject({ folder: "", tags: [] });
    expect((await ann.owner.browser.get(`${ann.path}/workflows/${await create("Plain")}`)).body).toMatchObject({
      folder: "",
      tags: [],
    });
  });

  it.each([
    ["a part without a name", { folder: "Sales//Invoices" }, "/folder"],
    ["more than five parts", { folder: "a/b/c/d/e/f" }, "/folder"],
    ["a line break", { folder: "Sales\nInvoices" }, "/folder"],
    ["an empty tag", { tags: [" "] }, "/tags/0"],
    ["a comma in a tag", { tags: ["a,b"] }, "/tags/0"],
    ["too many tags", { tags: Array.from({ length: 21 }, (_, number) => `t${number}`) }, "/tags"],
  ])("are refused with %s", async (_name, labels, pointer) => {
    const { status, body } = await ann.owner.browser.post(`${ann.path}/workflows`, { name: "No", canvas, ...labels });
    expect([status, body.errors?.[0].pointer]).toEqual([400, pointer]);
  });

  it("narrow the list: a folder with all inside it, and every tag that is named", async () => {
    await create("Deep", { folder: "Region/North", tags: ["x", "y"] });
    await create("Shallow", { folder: "Region", tags: ["x"] });
    await create("Alike", { folder: "Regional", tags: ["y"] });
    await create("Wild", { folder: "Regio_" });
    expect((await namesOf("folder=Region")).sort()).toEqual(["Deep", "Shallow"]);
    expect(await namesOf("folder=Regio_")).toEqual(["Wild"]);
    expect(await namesOf("folder=Region&tag=y")).toEqual(["Deep"]);
    expect((await namesOf("tag=x")).sort()).toEqual(["Deep", "Shallow"]);
    expect(await namesOf("tag=x&tag=y")).toEqual(["Deep"]);
    expect(await namesOf("tag=x&search=shal")).toEqual(["Shallow"]);
    expect((await ann.owner.browser.get(`${ann.path}/workflows?tag=x&limit=1`)).body.total).toBe(2);
  });

  it("are listed with how many workflows have them, not those of deleted ones", async () => {
    const gone = await create("Gone", { folder: "Gone", tags: ["gone"] });
    await create("Counted", { folder: "Counted/Inside", tags: ["counted", "both"] });
    await create("Counted too", { folder: "Counted", tags: ["both"] });
    await ann.owner.browser.delete(`${ann.path}/workflows/${gone}`);
    const { folders, tags } = (await ann.owner.browser.get(`${ann.path}/workflow-labels`)).body;
    expect(folders).toContainEqual({ folder: "Counted", workflows: 1 });
    expect(folders).toContainEqual({ folder: "Counted/Inside", workflows: 1 });
    expect(tags).toContainEqual({ tag: "both", workflows: 2 });
    expect(tags).toContainEqual({ tag: "counted", workflows: 1 });
    expect(JSON.stringify([folders, tags])).not.toContain("one");
  });
});

describe("changes of many", () => {
  const bulk = (body: object) => ann.owner.browser.post(`${ann.path}/workflows/bulk`, body);

  it("move, tag and turn them off, and say for each how it went", async () => {
    const [one, two] = [await create("One", { tags: ["old", "kept"] }), await create("Two")];
    const foreign = "01a00000-0000-7000-8000-000000000000";
    const { status, body } = await bulk({
      ids: [one, two, foreign],
      change: { folder: "Moved", addTags: ["new"], removeTags: ["old"], isActive: false },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject([{ id: one, problem: null }, { id: two, problem: null }, { id: foreign }]);
    expect(body.data[2].problem).toMatchObject({ code: "workflow_not_found" });
    const { data } = (await ann.owner.browser.get(`${ann.path}/workflows?folder=Moved`)).body;
    expect(data.map(({ name, tags, isActive }: Record<string, unknown>) => [name, tags, isActive]).sort()).toEqual([
      ["One", ["kept", "new"], false],
      ["Two", ["new"], false],
    ]);
  });

  it("delete them with what belongs to them", async () => {
    const id = await create("Short", { folder: "Short" });
    expect((await bulk({ ids: [id], delete: true })).body.data).toEqual([{ id, problem: null }]);
    expect(await namesOf("folder=Short")).toEqual([]);
  });

  it("tell one that cannot be turned on and go on with the others", async () => {
    const draft = await create("Draft", { publish: false });
    const off = await create("Off", { isActive: false });
    const { body } = await bulk({ ids: [draft, off], change: { isActive: true } });
    expect(body.data.map(({ problem }: { problem: { code: string } | null }) => problem?.code ?? null)).toEqual([
      "workflow_not_published",
      null,
    ]);
  });

  it.each([
    ["nothing to do", { ids: ["01a00000-0000-7000-8000-000000000000"] }],
    ["two things at once", { ids: ["01a00000-0000-7000-8000-000000000000"], delete: true, change: { folder: "" } }],
    ["no workflow", { ids: [], delete: true }],
    ["an empty change", { ids: ["01a00000-0000-7000-8000-000000000000"], change: {} }],
    ["too many tags", { ids: ["01a00000-0000-7000-8000-000000000000"], change: { addTags: Array(21).fill("a") } }],
  ])("are refused with %s", async (_name, body) => {
    expect((await bulk(body)).status).toBe(400);
  });
});

describe("a few letters of a name", () => {
  const found = async (search: string, more = "") => {
    const { body } = await ann.owner.browser.get(
      `${ann.path}/workflow-names?search=${encodeURIComponent(search)}${more}`,
    );
    return body.data.map(({ name }: { name: string }) => name);
  };

  it("find workflows: names that begin with them first, then words that do, then the rest, folder and tags", async () => {
    await create("Unzebraed");
    await create("Stripes", { folder: "Zebra" });
    await create("Dots", { tags: ["zebra"] });
    await create("The zebra");
    await create("Zebra crossing");
    expect((await found("zebra")).slice(0, 3)).toEqual(["Zebra crossing", "The zebra", "Unzebraed"]);
    expect((await found("ZEBRA")).sort()).toEqual(["Dots", "Stripes", "The zebra", "Unzebraed", "Zebra crossing"]);
    expect(await found("cross zeb")).toEqual(["Zebra crossing"]);
    expect(await found("zebra", "&limit=1")).toEqual(["Zebra crossing"]);
    expect(await found("%")).toEqual([]);
  });

  it("find nothing that was deleted", async () => {
    const id = await create("Quagga");
    expect(await found("quag")).toEqual(["Quagga"]);
    await ann.owner.browser.delete(`${ann.path}/workflows/${id}`);
    expect(await found("quag")).toEqual([]);
  });
});
