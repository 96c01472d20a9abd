import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let github: FakeProvider;
let echo: string;
let issue: string;

beforeAll(async () => {
  github = await startFakeProvider();
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  bob = await signUpOwner(ann.app, "Bob");
  echo = await ann.save([node("say", "set_fields", { fields: { said: "$trigger.prompt", by: "$trigger.source" } })]);
  issue = await ann.save([node("open", "github_create_issue", { owner: "acme", repo: "site", title: "Broken" })]);
});
afterAll(async () => {
  await ann?.stop();
  await github?.stop();
});
beforeEach(() => github.script([]));

const createCredential = async (organizationId: string, token: string) => {
  const data = { kind: "bearer", accessToken: token, baseUrl: github.url };
  return (
    await ann.app.parts.vault.credentials.create(organizationId, { type: "github", name: token, data, createdBy: null })
  ).reference;
};

const countRuns = async (): Promise<number> => {
  const [row] = await ann.app.database.query<{ count: string }>("SELECT count(*) AS count FROM run");
  return Number(row?.count);
};

/** A refusal that left nothing behind. */
async function expectRefused(
  answer: Promise<{ status: number; headers: Headers; text: string }>,
  code: string,
  pointer?: string,
) {
  const before = await countRuns();
  const problem = expectProblem(await answer, { code });
  expect(await countRuns()).toBe(before);
  if (pointer !== undefined) expect(problem.errors?.map((fault) => fault.pointer)).toContain(pointer);
  return problem;
}

describe("what a trigger may be sent with", () => {
  it.each([
    ["no body at all", undefined, {}],
    ["an empty body", "", { "content-type": "application/json" }],
    ["an empty body that says to be a form", "", { "content-type": "application/x-www-form-urlencoded" }],
    ["a body of blanks", " \r\n\t ", { "content-type": "application/json" }],
    ["an empty object", {}, {}],
    ["JSON null", "null", {}],
    ["fields that are null", { runtimePrompt: null, nodes: null }, {}],
    ["an empty list of overrides", { nodes: [] }, {}],
    ["fields nobody knows", { color: "red", nodes: [], payload: { a: 1 } }, {}],
    ["a JSON type with a charset", "{}", { "content-type": "application/json; charset=utf-8" }],
  ])("starts a run with %s, whose prompt is then empty", async (_name, body, headers) => {
    const { status, body: accepted, headers: sent } = await ann.trigger(echo, body, headers as Record<string, string>);
    expect(status).toBe(202);
    expect(sent.get("content-type")).toMatch(/^application\/json/);
    const location = `${ann.app.platformUrl}/task-runner/executions/${accepted.id}`;
    const ui = `${ann.app.platformUrl}/o/${ann.owner.organizationId}/runs/${accepted.id}`;
    expect(accepted).toEqual({
      id: accepted.id,
      status: "pending",
      workflowId: echo,
      createdAt: expect.any(String),
      links: { self: location, ui },
    });
    expect(sent.get("location")).toBe(location);
    const run = await ann.ended(accepted.id);
    expect(run).toMatchObject({
      status: "succeeded",
      result: [{ said: "", by: "api" }],
      createdAt: accepted.createdAt,
    });
  });

  it("gives every node the prompt", async () => {
    expect((await ann.run(echo, { runtimePrompt: "Grüße\n{{ $trigger.source }} 🚂" })).result).toEqual([
      { said: "Grüße\n{{ $trigger.source }} 🚂", by: "api" },
    ]);
  });

  it("refuses a body of another type, and one that is no JSON", async () => {
    await expectRefused(
      ann.trigger(echo, "runtimePrompt=x", { "content-type": "application/x-www-form-urlencoded" }),
      "unsupported_media_type",
    );
    await expectRefused(ann.trigger(echo, "hello", { "content-type": "text/plain" }), "unsupported_media_type");
    await expectRefused(ann.trigger(echo, "{", {}), "malformed_json");
  });

  it.each([
    ["a list as body", [], ""],
    ["a text as body", '"hello"', ""],
    ["a prompt that is no text", { runtimePrompt: 5 }, "/runtimePrompt"],
    ["overrides that are no list", { nodes: {} }, "/nodes"],
    ["an override that is no object", { nodes: ["say"] }, "/nodes/0"],
    ["an override without an id", { nodes: [{ runtimeInstruction: "x" }] }, "/nodes/0/id"],
    [
      "an instruction that is no text",
      { nodes: [{ id: "say", runtimeInstruction: {} }] },
      "/nodes/0/runtimeInstruction",
    ],
    ["a type that is no text", { nodes: [{ id: "say", nodeId: 1 }] }, "/nodes/0/nodeId"],
    ["credentials that are no object", { nodes: [{ id: "say", credentials: [] }] }, "/nodes/0/credentials"],
    [
      "a reference that is no text",
      { nodes: [{ id: "say", credentials: { github: 1 } }] },
      "/nodes/0/credentials/github",
    ],
  ])("names the place of %s", async (_name, body, pointer) => {
    const problem = await expectRefused(ann.trigger(echo, body), "validation_failed", pointer);
    expect(problem.status).toBe(400);
  });
});

describe("which workflow", () => {
  it("is none that is unknown, another organization's, deleted, or named by no id at all: all of them look the same", async () => {
    const foreign = (
      await bob.browser.post(`/api/organizations/${bob.organizationId}/workflows`, {
        name: "Bob's",
        canvas: { nodes: [node("a", "start")], edges: [] },
      })
    ).body.id;
    const deleted = await ann.save([node("a", "start")]);
    expect((await ann.owner.browser.delete(`${ann.path}/workflows/${deleted}`)).status).toBeLessThan(300);
    const shapes = [];
    for (const id of [randomUUID(), foreign, deleted, "nonsense", "0", `${echo}x`]) {
      const { instance: _, requestId: __, ...rest } = await expectRefused(ann.trigger(id), "workflow_not_found");
      shapes.push(rest);
    }
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
  });

  it("is none that is turned off or has no nodes", async () => {
    const off = await ann.save([node("a", "start")]);
    await ann.owner.browser.patch(`${ann.path}/workflows/${off}`, { isActive: false });
    const empty = await ann.save([]);
    expect((await expectRefused(ann.trigger(off), "workflow_inactive")).detail).toBe("This workflow is turned off.");
    expect((await expectRefused(ann.trigger(empty), "workflow_inactive")).detail).toBe(
      "This workflow has no nodes yet.",
    );
    await ann.owner.browser.patch(`${ann.path}/workflows/${off}`, { isActive: true });
    expect((await ann.trigger(off)).status).toBe(202);
  });

  it("needs a key that may start workflows", async () => {
    const { organizationId } = ann.owner;
    const other = await ann.app.parts.identity.apiKeys.create(organizationId, {
      name: "tools",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    await expectRefused(ann.trigger(echo, {}, { "x-api-key": other.key }), "insufficient_scope");
    await expectRefused(ann.trigger(echo, {}, { "x-api-key": "" }), "api_key_missing");
    await expectRefused(ann.trigger(echo, {}, { "x-api-key": `${ann.key}x` }), "api_key_invalid");
    const bobs = await ann.createKey(bob.organizationId);
    await expectRefused(ann.trigger(echo, {}, { "x-api-key": bobs }), "workflow_not_found");
  });
});

describe("an override", () => {
  const overrideWith = (credentials: Record<string, string>) => ({
    nodes: [{ id: "open", nodeId: "github_create_issue", credentials }],
  });

  it("is refused when it names no node of the canvas, one twice, or another type", async () => {
    await expectRefused(ann.trigger(echo, { nodes: [{ id: "say" }, { id: "nobody" }] }), "unknown_node", "/nodes/1/id");
    await expectRefused(
      ann.trigger(echo, { nodes: [{ id: "say" }, { id: "say" }] }),
      "validation_failed",
      "/nodes/1/id",
    );
    await expectRefused(
      ann.trigger(echo, { nodes: [{ id: "say", nodeId: "start" }] }),
      "node_type_mismatch",
      "/nodes/0/nodeId",
    );
    await expectRefused(ann.trigger(echo, { nodes: [{ id: "toString" }] }), "validation_failed", "/nodes/0/id");
    expect((await ann.trigger(echo, { nodes: [{ id: "say", nodeId: "set_fields" }] })).status).toBe(202);
  });

  it.each([
    [{ id: "nobody" }, "id", "is no node of this workflow"],
    [{ id: "say" }, "id", "is there twice"],
    [{ id: "do", nodeId: "start" }, "nodeId", "must be set_fields, as on the canvas"],
  ])("%j that does not fit is told where and why", async (second, field, detail) => {
    const workflowId = await ann.save(["say", "do"].map((id) => node(id, "set_fields", { fields: {} })));
    const { body } = await ann.trigger(workflowId, { nodes: [{ id: "say" }, second] });
    expect(body).toMatchObject({
      detail: `nodes.1.${field} ${detail}.`,
      errors: [{ pointer: `/nodes/1/${field}`, detail }],
    });
  });

  it("makes the node use its credential in this run, and only there", async () => {
    const saved = await createCredential(ann.owner.organizationId, "token-of-the-canvas");
    const other = await createCredential(ann.owner.organizationId, "token-of-the-run");
    const parameters = { owner: "acme", repo: "site", title: "Broken" };
    const id = await ann.save([node("open", "github_create_issue", parameters, { credentials: { github: saved } })]);
    github.script([
      { status: 201, json: { number: 1, title: "Broken" } },
      { status: 201, json: { number: 2, title: "Broken" } },
    ]);
    expect(await ann.run(id, overrideWith({ github: other }))).toMatchObject({ status: "succeeded" });
    expect(await ann.run(id)).toMatchObject({ status: "succeeded" });
    expect(github.requests().map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-of-the-run",
      "Bearer token-of-the-canvas",
    ]);
  });

  it("with an unknown credential gets the same answer as one of another organization", async () => {
    const foreign = await createCredential(bob.organizationId, "token-of-bob");
    const answers = [];
    for (const reference of [foreign, `credential:organization:${randomUUID()}`]) {
      const {
        instance: _,
        requestId: __,
        ...rest
      } = await expectRefused(
        ann.trigger(issue, overrideWith({ github: reference })),
        "credential_not_accessible",
        "/nodes/0/credentials",
      );
      answers.push(JSON.stringify(rest));
    }
    expect(answers[0]).toBe(answers[1]);
  });

  it("is judged before anything is decrypted", async () => {
    const mine = await createCredential(ann.owner.organizationId, "token-of-ann");
    const foreign = await createCredential(bob.organizationId, "token-of-bob-2");
    await ann.app.database.query("UPDATE credential SET sealed = '\\x00'");
    onTestFinished(async () => void (await ann.app.database.query("DELETE FROM credential")));
    await expectRefused(ann.trigger(issue, overrideWith({ github: foreign })), "credential_not_accessible");
    const { body } = await ann.trigger(issue, overrideWith({ github: mine }));
    expect(await ann.ended(body.id)).toMatchObject({
      status: "failed",
      error: { code: "credential_unreadable", nodeId: "open" },
    });
  });

  it("with a credential of another type, or for a node that uses none, is refused", async () => {
    const reference = await createCredential(ann.owner.organizationId, "token-for-types");
    await expectRefused(
      ann.trigger(issue, overrideWith({ slack: reference })),
      "credential_type_mismatch",
      "/nodes/0/credentials",
    );
    await expectRefused(
      ann.trigger(echo, { nodes: [{ id: "say", credentials: { github: reference } }] }),
      "credential_type_mismatch",
    );
  });

  it.each([
    "credential:user:0197f3a0-0000-7000-8000-000000000000",
    "credential:organization:nonsense",
    "ghp_a-secret-that-nobody-may-see",
    "",
  ])("with the reference %j is refused without saying it again", async (reference) => {
    const problem = await expectRefused(
      ann.trigger(issue, overrideWith({ github: reference })),
      "credential_reference_invalid",
      "/nodes/0/credentials",
    );
    if (reference !== "") expect(JSON.stringify({ ...problem, instance: "" })).not.toContain(reference);
    if (reference !== "") expect(ann.app.logLines.join("")).not.toContain(reference);
  });
});

describe("the key", () => {
  it("is in the list of runs beside its kind, and knows when it was used", async () => {
    const created = await ann.app.parts.identity.apiKeys.create(ann.owner.organizationId, {
      name: "nightly",
      scopes: ["workflows:trigger"],
      createdBy: null,
    });
    const { body } = await ann.trigger(echo, undefined, { "x-api-key": created.key });
    const { body: runs } = await ann.owner.browser.get(`${ann.path}/runs?apiKeyId=${created.id}`);
    expect(runs.data).toMatchObject([
      { id: body.id, executionType: "api", apiKeyId: created.id, apiKeyName: "nightly", workflowName: "Test" },
    ]);
    const lastUsed = async () => {
      const keys = (await ann.owner.browser.get(`${ann.path}/api-keys`)).body.data as {
        id: string;
        lastUsedAt: string | null;
      }[];
      return keys.find(({ id }) => id === created.id)?.lastUsedAt;
    };
    await expect.poll(lastUsed, { timeout: 5_000 }).toEqual(expect.any(String));
  });

  it("is still named after it was deleted, and that is said", async () => {
    const about = { name: "nightly", scopes: ["workflows:trigger"] };
    const { body: created } = await ann.owner.browser.post(`${ann.path}/api-keys`, about);
    const { body } = await ann.trigger(echo, undefined, { "x-api-key": created.key });
    const read = async () => [
      (await ann.owner.browser.get(`${ann.path}/runs/${body.id}`)).body,
      ...(await ann.owner.browser.get(`${ann.path}/runs?apiKeyId=${created.id}`)).body.data,
    ];
    const named = { id: body.id, apiKeyId: created.id, apiKeyName: "nightly" };
    expect(await read()).toMatchObject(Array(2).fill({ ...named, apiKeyDeleted: false }));
    await ann.owner.browser.delete(`${ann.path}/api-keys/${created.id}`);
    expect(await read()).toMatchObject(Array(2).fill({ ...named, apiKeyDeleted: true }));
    const { body: byHand } = await ann.owner.browser.post(`${ann.path}/workflows/${echo}/runs`, {});
    expect((await ann.owner.browser.get(`${ann.path}/runs/${byHand.id}`)).body).toMatchObject({
      apiKeyId: null,
      apiKeyDeleted: false,
    });
  });

  it("may only ask so often", async () => {
    const limited = await startWorkflowApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "3" } });
    onTestFinished(() => limited.stop());
    const id = await limited.save([node("a", "start")]);
    const answers = [await limited.trigger(id), await limited.trigger(id), await limited.trigger(id)];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const refused = await limited.trigger(id);
    expectProblem(refused, { status: 429, code: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
