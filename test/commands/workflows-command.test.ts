import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-workflows-"));
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]) =>
  runSwitchyard(["workflows", ...words], {
    DATABASE_URL: app.database.url,
    SWITCHYARD_DATA_DIR: folder,
    SWITCHYARD_MASTER_KEY: Buffer.alloc(32, "master").toString("base64"),
  });
const inAnn = () => ["--organization", ann.organizationId];

it("workflows are kept as a draft, compared, published and rolled back", async () => {
  const file = join(folder, "draft.json");
  const format = { format: "switchyard.workflow", formatVersion: 1, name: "Drafted" };
  writeFileSync(file, JSON.stringify({ ...format, canvas: { nodes: [{ id: "x", nodeId: "y" }], edges: [] } }));
  const answer = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  const { id, faults } = await answer("import", ...inAnn(), "--file", file, "--draft");
  expect(faults).toMatchObject([{ pointer: "/canvas/nodes/0/nodeId" }]);
  const one = [...inAnn(), "--id", id];
  expect(await answer("draft", ...one)).toMatchObject({ revision: 1, basedOn: 0, faults });
  const refused = await run("publish", ...one);
  const words = "canvas/nodes/0/nodeId is neither the name of a tool nor of a built-in node";
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, "", `workflows: ${words}\n`]);

  const drawn = (...ids: string[]) => ({ nodes: ids.map((each) => ({ id: each, nodeId: "start" })), edges: [] });
  const change = (canvas: object, others: object) => JSON.stringify({ canvas, ...others });
  const first = change(drawn("a"), { expectedVersion: 0, expectedDraft: 1 });
  expect(await answer("update", ...one, "--data", first, "--draft")).toMatchObject({ version: 0, faults: [] });
  expect(await answer("publish", ...one, "--note", "First", "--off")).toMatchObject({ version: 1, isActive: false });
  await answer("update", ...one, "--data", change(drawn("a", "b"), { expectedVersion: 1 }));
  await answer("update", ...one, "--data", change(drawn("c"), { expectedVersion: 2 }), "--draft");
  expect(await answer("compare", ...one)).toMatchObject({ from: 2, to: "draft", nodes: { added: drawn("c").nodes } });
  expect(await answer("compare", ...one, "--from", "2", "--to", "1")).toMatchObject({ from: 2, to: 1 });
  expect(await answer("draft", ...one, "--discard")).toEqual({ id, discarded: true });
  expect(await answer("rollback", ...one, "--version", "1")).toMatchObject({ version: 3 });
  expect(await answer("versions", ...one)).toMatchObject([
    { version: 3, note: "Version 1 restored" },
    { version: 2, createdByName: null },
    { version: 1, note: "First" },
  ]);
  const made = await answer("create", ...inAnn(), "--data", JSON.stringify({ name: "Made", canvas: drawn("a") }));
  expect(made).toMatchObject({ name: "Made", version: 1, isActive: true });
  expect((await run("compare", ...one, "--to", "x")).stderr).toBe(
    "workflows: --to: must be a number, published or draft\n",
  );
  expect((await run("draft", ...one)).stderr).toBe("workflows: This workflow has no draft.\n");
}, 120_000);

it("a file of n8n is reported on, and saved as a draft", async () => {
  const file = join(folder, "n8n.json");
  const node = { name: "Begin", type: "n8n-nodes-base.manualTrigger" };
  const code = { name: "Code", type: "n8n-nodes-base.code", parameters: { jsCode: "return 1" } };
  writeFileSync(file, JSON.stringify({ name: "From n8n", nodes: [node, code] }));
  const words = ["import", ...inAnn(), "--file", file, "--from", "n8n"];
  const checked = await run(...words, "--check");
  expect(JSON.parse(checked.stdout)).toMatchObject({
    name: "From n8n",
    nodes: [
      { name: "Begin", outcome: "mapped" },
      { name: "Code", outcome: "missing" },
    ],
  });
  expect(JSON.parse((await run("list", ...inAnn(), "--search", "From n8n")).stdout)).toEqual([]);
  const { id } = JSON.parse((await run(...words, "--name", "Taken along")).stdout);
  const saved = JSON.parse((await run("list", ...inAnn(), "--search", "Taken along")).stdout);
  expect(saved).toMatchObject([{ id, version: 0, isActive: false }]);
  writeFileSync(file, JSON.stringify({ nodes: 7 }));
  expect((await run(...words)).stderr).toMatch(/^workflows: --file: nodes /);
  expect((await run("import", ...inAnn(), "--file", file, "--check")).stderr).toBe(
    "workflows: --check: only with --from n8n\n",
  );
}, 120_000);
