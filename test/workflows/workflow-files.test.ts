import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

type Owner = Awaited<ReturnType<typeof signUpOwner>>;

let app: TestApp;
let ann: Owner;
let bob: Owner;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-files-"));
  app = await startTestApp();
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const workflowsOf = (owner: Owner) => `/api/organizations/${owner.organizationId}/workflows`;
const connect = (owner: Owner, name: string, type = "slack") =>
  app.parts.vault.credentials.create(owner.organizationId, {
    type,
    name,
    data: { kind: "bearer", accessToken: "canary-token" },
    createdBy: null,
  });
const say = (credentials: object) => ({
  nodeId: "slack_send_message",
  id: "say",
  credentials,
  parameters: { text: "Good morning", channel: "C1" },
});
const canvasWith = (credentials: object) => ({ edges: [], nodes: [say(credentials)] });

async function create(owner: Owner, request: object) {
  const { status, body } = await owner.browser.post(workflowsOf(owner), { name: "Good morning, Ünal!", ...request });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as { id: string; canvas: unknown };
}

describe("a workflow as a file", () => {
  it("is readable, names accounts instead of referring to them, and holds no secret", async () => {
    const { reference } = await connect(ann, "Team bot");
    const tool = {
      name: "greet",
      inputs: [{ name: "whom", type: "string", description: "A person", required: false }],
    };
    const { id } = await create(ann, { description: "d", tool, canvas: canvasWith({ slack: reference }) });
    const { status, headers, text, body } = await ann.browser.get(`${workflowsOf(ann)}/${id}/file`);
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toBe('attachment; filename="good-morning-unal.json"');
    expect(body).toEqual({
      format: "switchyard.workflow",
      formatVersion: 1,
      name: "Good morning, Ünal!",
      description: "d",
      tool,
      canvas: canvasWith({ slack: { name: "Team bot" } }),
    });
    expect(text).toBe(`${JSON.stringify(body, null, 2)}\n`);
    for (const hidden of ["credential:", "canary", id, ann.organizationId]) expect(text).not.toContain(hidden);
    await ann.browser.delete(`${workflowsOf(ann)}/${id}`);
  });

  it("becomes the same workflow again where one account has the type and name", async () => {
    const { reference } = await connect(ann, "Round trip");
    const notes = [{ id: "n", text: "Every morning", x: 0, y: 0, width: 240, height: 120 }];
    const made = await create(ann, { canvas: { ...canvasWith({ slack: reference }), notes } });
    const { text } = await ann.browser.get(`${workflowsOf(ann)}/${made.id}/file`);
    const { status, body } = await ann.browser.post(`${workflowsOf(ann)}/import`, text);
    expect([status, body.warnings]).toEqual([201, []]);
    expect(JSON.stringify(body.canvas)).toBe(JSON.stringify(made.canvas));
    expect(body).toMatchObject({ name: "Good morning, Ünal!", version: 1, createdBy: ann.userId });
  });

  it("leaves out accounts that are missing or ambiguous, and says so", async () => {
    const file = (name: string) => ({
      format: "switchyard.workflow",
      formatVersion: 1,
      name: "x",
      canvas: canvasWith({ slack: { name } }),
    });
    await connect(bob, "Twin");
    await connect(bob, "Twin");
    await connect(bob, "Other type", "github");
    for (const [name, words] of [
      ["Twin", "more than one account has"],
      ["Nobody", "no account has"],
      ["Other type", "no account has"],
      ["Team bot", "no account has"],
    ]) {
      const { status, body } = await bob.browser.post(`${workflowsOf(bob)}/import`, file(name as string));
      expect([status, body.canvas]).toEqual([201, canvasWith({})]);
      expect(body.warnings).toEqual([
        { pointer: "/canvas/nodes/0/credentials/slack", detail: `is left empty: ${words} this type and name` },
      ]);
    }
  });

  it("is no tool when another workflow has its name, and says so", async () => {
    const canvas = { nodes: [], edges: [] };
    const tool = { name: "only_one", inputs: [] };
    const { id } = await create(ann, { tool, canvas });
    const { body: file } = await ann.browser.get(`${workflowsOf(ann)}/${id}/file`);
    const { status, body } = await ann.browser.post(`${workflowsOf(ann)}/import`, file);
    expect([status, body.tool]).toEqual([201, null]);
    expect(body.warnings).toEqual([
      { pointer: "/tool/name", detail: "is left out: it is the name of another workflow's tool" },
    ]);
    expect((await bob.browser.post(`${workflowsOf(bob)}/import`, file)).body).toMatchObject({ tool, warnings: [] });
  });

  it.each<[string, object, string[]]>([
    ["another format", { format: "n8n" }, ["/format"]],
    ["a later version", { formatVersion: 2 }, ["/formatVersion"]],
    ["a canvas with faults", { canvas: { nodes: [{ id: "x", nodeId: "y" }], edges: [] } }, ["/canvas/nodes/0/nodeId"]],
    [
      "a credential instead of a name",
      { canvas: canvasWith({ slack: "xoxb-canary-secret" }) },
      ["/canvas/nodes/0/credentials/slack"],
    ],
    ["accounts of another form", { canvas: canvasWith([5]) }, ["/canvas/nodes/0/credentials"]],
    ["nodes that are none", { canvas: { nodes: [5, null], edges: [] } }, ["/canvas/nodes/0", "/canvas/nodes/1"]],
  ])("is refused with %s", async (_, change, pointers) => {
    const file = {
      format: "switchyard.workflow",
      formatVersion: 1,
      name: "x",
      canvas: { nodes: [], edges: [] },
      ...change,
    };
    const answer = await ann.browser.post(`${workflowsOf(ann)}/import`, file);
    const problem = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(answer.text).not.toContain("canary");
  });
});

describe("deleting a credential", () => {
  const credentialsOf = (owner: Owner) => `/api/organizations/${owner.organizationId}/credentials`;

  it("is refused while workflows use it, names them, and can be insisted on", async () => {
    const { id, reference } = await connect(ann, "In use");
    const at = `${credentialsOf(ann)}/${id}`;
    const made = await create(ann, {
      name: "Greeter",
      canvas: canvasWith({
        slack: reference.toUpperCase().replace("CREDENTIAL:ORGANIZATION", "credential:organization"),
      }),
    });
    const problem = expectProblem(await ann.browser.delete(at), { status: 409, code: "credential_in_use" });
    expect(problem.detail).toBe('Workflows use this credential: "Greeter". With force=true it is deleted anyway.');
    expectProblem(await ann.browser.delete(`${at}?force=false`), { status: 409, code: "credential_in_use" });
    expectProblem(await ann.browser.delete(`${at}?force=1`), { status: 400, code: "validation_failed" });
    expect((await ann.browser.delete(`${at}?force=true`)).status).toBe(204);
    expect((await ann.browser.get(`${workflowsOf(ann)}/${made.id}`)).status).toBe(200);
  });

  it("goes through when only an old version, a deleted workflow or a text names it", async () => {
    const { id, reference } = await connect(ann, "Past");
    const old = await create(ann, { canvas: canvasWith({ slack: reference }) });
    await ann.browser.patch(`${workflowsOf(ann)}/${old.id}`, { canvas: { nodes: [], edges: [] }, expectedVersion: 1 });
    const gone = await create(ann, { canvas: canvasWith({ slack: reference }) });
    await ann.browser.delete(`${workflowsOf(ann)}/${gone.id}`);
    await create(ann, {
      canvas: {
        nodes: [{ id: "say", nodeId: "slack_send_message", parameters: { channel: "C1", text: reference } }],
        edges: [],
      },
    });
    expect((await ann.browser.delete(`${credentialsOf(ann)}/${id}`)).status).toBe(204);
  });

  it("names ten workflows and the number of the others", async () => {
    const { id, reference } = await connect(ann, "Everywhere");
    for (let index = 0; index < 12; index++)
      await create(ann, { name: `W${String(index).padStart(2, "0")}`, canvas: canvasWith({ slack: reference }) });
    const { detail } = expectProblem(await ann.browser.delete(`${credentialsOf(ann)}/${id}`), {
      code: "credential_in_use",
    });
    expect(detail).toMatch(/"W00", .*"W09" and 2 more\./);
    expect(detail).not.toContain("W10");
  });

  it("answers a foreign credential as unknown, whatever uses it", async () => {
    const { id, reference } = await connect(bob, "Theirs");
    await create(bob, { canvas: canvasWith({ slack: reference }) });
    expectProblem(await ann.browser.delete(`${credentialsOf(ann)}/${id}`), { status: 404, code: "not_found" });
  });
});

describe("the uses of a credential", () => {
  it("are the nodes, triggers and defaults that name it, and nothing that no longer does", async () => {
    const at = `/api/organizations/${ann.organizationId}`;
    const { id, reference } = await app.parts.vault.credentials.create(ann.organizationId, {
      type: "slack",
      name: "Busy",
      createdBy: null,
      data: { kind: "bearer", accessToken: "canary-token", signingSecret: "canary-signing" },
    });
    const other = await connect(ann, "Other");
    const upper = `credential:organization:${id.toUpperCase()}`;
    const canvas = {
      nodes: [
        { ...say({ slack: reference }), name: "Say it" },
        { ...say({ slack: upper }), id: "again" },
        { ...say({ slack: other.reference }), id: "other" },
        { ...say({}), id: "text", parameters: { text: reference, channel: "C1" } },
      ],
      edges: [],
    };
    const workflow = await create(ann, { name: "Speaker", canvas });
    const deleted = await create(ann, { name: "Deleted", canvas });
    const quiet = await create(ann, { name: "Quiet", canvas: canvasWith({}) });
    const addTrigger = async (request: object) => {
      const answer = await ann.browser.post(`${at}/triggers`, {
        workflowId: quiet.id,
        kind: "webhook",
        signature: "none",
        ...request,
      });
      expect([answer.status, answer.body.code]).toEqual([201, undefined]);
      return answer.body.id as string;
    };
    const signed = await addTrigger({ name: "Signed", provider: "slack", credentialId: id, signature: undefined });
    const overriding = await addTrigger({
      name: "Overriding",
      overrides: [{ id: "say", credentials: { slack: upper } }],
    });
    await addTrigger({ name: "Words", overrides: [{ id: "say", runtimeInstruction: reference }] });
    await addTrigger({
      name: "Gone",
      workflowId: deleted.id,
      provider: "slack",
      credentialId: id,
      signature: undefined,
    });
    await ann.browser.delete(`${workflowsOf(ann)}/${deleted.id}`);
    const key = (await ann.browser.post(`${at}/api-keys`, { name: "Robot", scopes: ["mcp:invoke"] })).body.id as string;
    const revoked = (await ann.browser.post(`${at}/api-keys`, { name: "Revoked", scopes: ["mcp:invoke"] })).body
      .id as string;
    for (const apiKeyId of [undefined, key, revoked])
      await ann.browser.send("PUT", `${at}/default-credentials/slack`, { credentialId: id, apiKeyId });
    await ann.browser.delete(`${at}/api-keys/${revoked}`);

    const { status, body, text } = await ann.browser.get(`${at}/credentials/${id.toUpperCase()}/uses`);
    expect(status).toBe(200);
    expect(body).toEqual({
      workflows: [
        {
          id: workflow.id,
          name: "Speaker",
          nodes: [
            { id: "say", name: "Say it", nodeId: "slack_send_message" },
            { id: "again", name: null, nodeId: "slack_send_message" },
          ],
        },
      ],
      triggers: [
        { id: overriding, name: "Overriding" },
        { id: signed, name: "Signed" },
      ],
      webhooks: [],
      defaults: [
        { type: "slack", apiKeyId: null, apiKeyName: null },
        { type: "slack", apiKeyId: key, apiKeyName: "Robot" },
      ],
    });
    expect(text).not.toContain("canary");
    const none = {
      workflows: [expect.objectContaining({ name: "Speaker" })],
      triggers: [],
      webhooks: [],
      defaults: [],
    };
    expect((await ann.browser.get(`${at}/credentials/${other.id}/uses`)).body).toEqual(none);
  });
});

describe("workflows on the command line", () => {
  const run = (...words: string[]) =>
    runSwitchyard(["workflows", ...words], {
      DATABASE_URL: app.database.url,
      SWITCHYARD_DATA_DIR: folder,
      SWITCHYARD_MASTER_KEY: Buffer.alloc(32, "master").toString("base64"),
    });
  const inBob = () => ["--organization", bob.organizationId];

  it("are listed, exported and imported", async () => {
    const made = await create(ann, { name: "From the shell", canvas: { nodes: [], edges: [] } });
    const exported = await run("export", "--organization", ann.organizationId, "--id", made.id);
    expect([exported.code, exported.stderr]).toEqual([0, ""]);
    expect(exported.stdout).toBe((await ann.browser.get(`${workflowsOf(ann)}/${made.id}/file`)).text);
    const file = join(folder, "workflow.json");
    writeFileSync(file, exported.stdout);
    const imported = await run("import", ...inBob(), "--file", file, "--name", "Carried over");
    expect([imported.code, imported.stderr]).toEqual([0, ""]);
    const { id, warnings } = JSON.parse(imported.stdout);
    expect(warnings).toEqual([]);
    const listed = await run("list", ...inBob(), "--search", "carried");
    expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ id, name: "Carried over", createdBy: null })]);
  }, 60_000);

  it("say in one line what is wrong with a file", async () => {
    const file = join(folder, "bad.json");
    const good = {
      format: "switchyard.workflow",
      formatVersion: 1,
      name: "x",
      canvas: { nodes: [{ id: "x", nodeId: "y" }], edges: [] },
    };
    for (const [text, words] of [
      [
        JSON.stringify(good),
        "workflows: --file: canvas/nodes/0/nodeId is neither the name of a tool nor of a built-in node\n",
      ],
      [JSON.stringify({ ...good, format: "n8n" }), "workflows: --file: format must be switchyard.workflow\n"],
      ["{", "workflows: The body is not valid JSON.\n"],
    ] as const) {
      writeFileSync(file, text);
      const { code, stdout, stderr } = await run("import", ...inBob(), "--file", file);
      expect([code, stdout, stderr]).toEqual([1, "", words]);
    }
    expect((await run("import", ...inBob(), "--file", join(folder, "none.json"))).stderr).toBe(
      "workflows: --file: cannot be read\n",
    );
  }, 60_000);
});
