import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let server: FakeProvider;

beforeAll(async () => {
  server = await startFakeProvider();
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
beforeEach(() => server.script([]));
afterAll(async () => {
  await ann?.stop();
  await server?.stop();
});

type Others = NonNullable<Parameters<typeof node>[3]>;
const request = (parameters: object = {}, others: Others = {}) =>
  node("ask", "http_request", { url: `${server.url}/things`, ...parameters }, others);

async function run(answers: Answer[], parameters: object = {}, others: Others = {}) {
  server.script(answers);
  return await ann.run(await ann.save([request(parameters, others)]));
}

const bearer = async (secret: string) => {
  const data = { kind: "custom", authKind: "bearer", secret, baseUrl: server.url };
  const { reference } = await ann.app.parts.vault.credentials.create(ann.owner.organizationId, {
    type: "http_auth",
    name: "HTTP",
    createdBy: null,
    data,
  });
  return { http_auth: reference };
};

const callTool = async (name: string, given: object) => {
  const { organizationId } = ann.owner;
  const { key } = await ann.app.parts.identity.apiKeys.create(organizationId, {
    name: "mcp",
    scopes: ["mcp:invoke"],
    createdBy: null,
  });
  const client = createMcpClient(ann.app.gatewayUrl, { "x-api-key": key });
  return (await client.modern("http", "tools/call", { name, arguments: given })).json.result;
};

describe("http_request as a node", () => {
  it.each([400, 404, 429, 500, 503])(
    "fails with the status %i and what the answer says, and asks once",
    async (status) => {
      const ended = await run([{ status, json: { message: "no such thing" } }]);
      expect(ended).toMatchObject({ status: "failed", error: { code: "provider_error", nodeId: "ask" } });
      expect(ended.error?.message).toContain(`127.0.0.1 refused the call (${status}): {"message":"no such thing"}`);
      expect(server.requests()).toHaveLength(1);
    },
  );

  it.each([200, 204, 304])("succeeds with the status %i", async (status) => {
    const ended = await run([{ status }]);
    expect(ended).toMatchObject({ status: "succeeded", result: [{ status }] });
  });

  it("repeats a failure as its settings say", async () => {
    const ended = await run(
      [{ status: 503 }, { status: 500 }, { json: { there: true } }],
      {},
      { settings: { retries: 2, retryDelay: 1 } },
    );
    expect(ended).toMatchObject({ status: "succeeded", result: [{ body: { there: true } }] });
    expect(ended.nodes[0]).toMatchObject({ attempts: 3 });
    expect(server.requests()).toHaveLength(3);
  });

  it("goes on with an item that tells of the failure, where its settings say so", async () => {
    server.script([{ status: 410, body: "gone" }]);
    const nodes = [
      request({}, { settings: { continueOnError: true } }),
      node("after", "set_fields", { fields: { told: "$nodes.ask.first.error.message" } }),
    ];
    const ended = await ann.run(await ann.save(nodes, edges("ask>after")));
    expect(ended).toMatchObject({ status: "succeeded", result: [{ told: "127.0.0.1 refused the call (410): gone." }] });
  });

  it("gives the answer to what follows when it is told to", async () => {
    const ended = await run([{ status: 404, json: { message: "no" } }], { errorStatus: "answer" });
    expect(ended).toMatchObject({ status: "succeeded", result: [{ status: 404, body: { message: "no" } }] });
  });

  it("tells a cut of a long answer, and no secret of its account or its headers", async () => {
    const secret = "canary-secret-of-the-account";
    const typed = "canary-typed-into-a-header";
    const body = `${"x".repeat(480)}${secret}${typed}${"y".repeat(5000)}`;
    const given = { headers: { "X-Api-Key": typed, Accept: "text/plain" } };
    const ended = await run([{ status: 500, body }], given, { credentials: await bearer(secret) });
    const message = ended.error?.message ?? "";
    expect(message).toContain("(500): xxx");
    expect(message.length).toBeLessThan(700);
    expect(message).not.toContain("canary");
    expect(JSON.stringify(ended.error)).not.toContain("canary");
  });

  it("says of a POST that failed on the other side that it may have been done", async () => {
    const ended = await run(
      [{ status: 500 }],
      { method: "POST", body: {} },
      { settings: { retries: 2, retryDelay: 1 } },
    );
    expect(ended.error?.message).toBe(
      "127.0.0.1 refused the call (500). It may have been done: look before you repeat it.",
    );
    expect(server.requests()).toHaveLength(1);
  });
});

describe("an address that needs no account", () => {
  it("is asked by a node that names none, which is not warned about", async () => {
    const canvas = { nodes: [request()], edges: [] };
    const saved = await ann.owner.browser.post(`${ann.path}/workflows`, { name: "Open", canvas });
    expect(saved.body.warnings).toEqual([]);
    server.script([{ json: { open: true } }]);
    expect(await ann.run(saved.body.id)).toMatchObject({ status: "succeeded", result: [{ body: { open: true } }] });
    expect(server.requests()[0]?.headers).not.toHaveProperty("authorization");
  });

  it("is asked without the organization's default account, which is used at its own address alone", async () => {
    const { defaults } = ann.app.parts.vault;
    const { http_auth: reference } = await bearer("canary-by-default");
    const { organizationId } = ann.owner;
    await defaults.set({ organizationId, apiKeyId: null, type: "http_auth" }, reference.split(":").at(-1) ?? "");
    const elsewhere = await startFakeProvider();
    try {
      elsewhere.script([{ json: { open: true } }]);
      server.script([{ json: { own: true } }]);
      const nodes = [
        request({ url: `${elsewhere.url}/open` }),
        node("own", "http_request", { url: `${server.url}/own` }),
      ];
      const ended = await ann.run(await ann.save(nodes, edges("ask>own")));
      expect(ended).toMatchObject({ status: "succeeded", result: [{ body: { own: true } }] });
      expect(elsewhere.requests()[0]?.headers).not.toHaveProperty("authorization");
      expect(server.requests()[0]?.headers).toMatchObject({ authorization: "Bearer canary-by-default" });
      const named = await ann.run(
        await ann.save([request({ url: `${elsewhere.url}/x` }, { credentials: { http_auth: reference } })]),
      );
      expect(named.error).toMatchObject({ code: "outbound_refused" });
      expect(elsewhere.requests()).toHaveLength(1);
    } finally {
      await defaults.remove({ organizationId, apiKeyId: null, type: "http_auth" });
      await elsewhere.stop();
    }
  });

  it.each([[{}], [{ credentials: {} }]])(
    "is asked by a tool call with %j, which answers with the status",
    async (given) => {
      server.script([{ status: 404, json: { message: "no" } }]);
      const result = await callTool("http_request", { url: `${server.url}/x`, ...given });
      expect(result).not.toHaveProperty("isError");
      expect(result?.structuredContent).toMatchObject({ items: [{ status: 404, body: { message: "no" } }] });
    },
  );

  it("is also read as a feed", async () => {
    server.script([{ json: { version: "https://jsonfeed.org/version/1.1", items: [{ id: "1", title: "One" }] } }]);
    const result = await callTool("http_read_feed", { url: `${server.url}/feed` });
    expect(result?.structuredContent).toMatchObject({ items: [{ id: "1", title: "One" }] });
  });

  it("lets a caller fail on purpose", async () => {
    server.script([{ status: 404 }]);
    const result = await callTool("http_request", { url: `${server.url}/x`, errorStatus: "fail" });
    expect(result?._meta["switchyard/error"]).toMatchObject({ code: "provider_error" });
  });

  it("is tried from the page without one", async () => {
    server.script([{ json: {} }]);
    const answer = await ann.owner.browser.post(`${ann.path}/tools/http_request/call`, {
      parameters: { url: `${server.url}/x` },
      confirm: true,
    });
    expect(answer.body).toMatchObject({ status: "success" });
  });

  it("is as guarded as any other", async () => {
    const ended = await ann.run(await ann.save([request({ url: "http://169.254.169.254/latest" })]));
    expect(ended.error).toMatchObject({ code: "outbound_refused" });
  });

  it("is said to need none in the schema, and an account of somebody else is refused all the same", async () => {
    const { key } = await ann.app.parts.identity.apiKeys.create(ann.owner.organizationId, {
      name: "list",
      createdBy: null,
      scopes: ["mcp:invoke"],
    });
    const { json } = await createMcpClient(ann.app.gatewayUrl, { "x-api-key": key }).modern("http", "tools/list");
    const tool = json.result?.tools.find(({ name }) => name === "http_request");
    expect(tool?.inputSchema.required).toEqual(["url", "credentials"]);
    expect(tool?.inputSchema.properties.credentials).not.toHaveProperty("required");
    const foreign = { http_auth: `credential:organization:${crypto.randomUUID()}` };
    const result = await callTool("http_request", { url: `${server.url}/x`, credentials: foreign });
    expect(result?._meta["switchyard/error"]).toMatchObject({ code: "credential_not_accessible" });
    expect(server.requests()).toEqual([]);
  });
});

describe("http_request as a node with the account of a provider", () => {
  const connect = async (type: string, data: Record<string, unknown>) => {
    const made = { type, name: type, createdBy: null, data: { ...data, baseUrl: server.url } };
    return (await ann.app.parts.vault.credentials.create(ann.owner.organizationId, made)).reference;
  };
  const seen = () => server.requests().map(({ headers }) => headers.authorization);

  it("uses the account it names, and that which a run brings instead", async () => {
    const credentials = { github: await connect("github", { kind: "bearer", accessToken: "ghp_canary_one" }) };
    const workflowId = await ann.save([request({}, { credentials })]);
    server.script([{ json: {} }, { json: {} }]);
    expect(await ann.run(workflowId)).toMatchObject({ status: "succeeded" });
    const other = await connect("github", { kind: "bearer", accessToken: "ghp_canary_two" });
    expect(await ann.run(workflowId, { nodes: [{ id: "ask", credentials: { github: other } }] })).toMatchObject({
      status: "succeeded",
    });
    expect(seen()).toEqual(["Bearer ghp_canary_one", "Bearer ghp_canary_two"]);
  });

  it("uses the account of a model for addresses of that provider, and for no others", async () => {
    const credentials = { openai: await connect("openai", { apiKey: "sk-canary" }) };
    expect(await run([{ json: {} }], {}, { credentials })).toMatchObject({ status: "succeeded" });
    expect(seen()).toEqual(["Bearer sk-canary"]);
    const stranger = await startFakeProvider();
    stranger.script([{ json: {} }]);
    expect(await run([], { url: `${stranger.url}/x` }, { credentials })).toMatchObject({ status: "succeeded" });
    expect(stranger.requests()[0]?.headers.authorization).toBeUndefined();
    // Where it is not for the address, the organization's default is what it would be without it.
    const { organizationId } = ann.owner;
    const data = { authKind: "bearer", secret: "default-canary", baseUrl: stranger.url };
    const { id } = await ann.app.parts.vault.credentials.create(organizationId, {
      type: "http_auth",
      name: "Own",
      data,
      createdBy: null,
    });
    await ann.app.parts.vault.defaults.set({ organizationId, type: "http_auth", apiKeyId: null }, id);
    stranger.script([{ json: {} }]);
    expect(await run([], { url: `${stranger.url}/x` }, { credentials })).toMatchObject({ status: "succeeded" });
    expect(stranger.requests()[0]?.headers.authorization).toBe("Bearer default-canary");
    await stranger.stop();
  });
});
