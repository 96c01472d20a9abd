import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { matchesRule } from "../../src/base/match-rule.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { shortestTime } from "../support/shortest-time.ts";

let mcp: McpApp;
let provider: FakeProvider;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let base: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  bob = await signUpOwner(mcp.app, "Bob");
  base = `/api/organizations/${mcp.owner.organizationId}`;
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});
beforeEach(async () => {
  for (const table of ["default_credential", "tool_call"]) await mcp.app.database.query(`DELETE FROM ${table}`);
});

/** A key made through the API, and a client that sends it. */
async function createKey(toolRules?: string[] | null) {
  const { status, body } = await mcp.owner.browser.post(`${base}/api-keys`, {
    name: "bot",
    scopes: ["mcp:invoke"],
    toolRules,
  });
  expect(status).toBe(201);
  return {
    id: body.id as string,
    toolRules: body.toolRules,
    client: createMcpClient(mcp.app.gatewayUrl, { "x-api-key": body.key }),
  };
}

/** A GitHub account whose token tells the provider which one was used. */
async function createAccount(token: string, organizationId = mcp.owner.organizationId) {
  const data = { kind: "bearer", accessToken: token, baseUrl: provider.url };
  return await mcp.app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: token,
    data,
    createdBy: null,
  });
}

const setDefault = (type: string, body: object) =>
  mcp.owner.browser.send("PUT", `${base}/default-credentials/${type}`, body);
const listTools = async (client: McpClient, serverId: string) =>
  (await client.modern(serverId, "tools/list")).json.result?.tools ?? [];
const namesOf = async (client: McpClient, serverId: string) =>
  (await listTools(client, serverId)).map(({ name }) => name);
const requiredOf = async (client: McpClient) =>
  (await listTools(client, "github")).find(({ name }) => name === "github_create_issue")?.inputSchema.required;

async function callIssue(client: McpClient, given: object = {}) {
  provider.script([{ status: 201, json: { number: 7 } }]);
  const issue = { owner: "acme", repo: "site", title: "It is broken", ...given };
  const { json } = await client.modern("github", "tools/call", { name: "github_create_issue", arguments: issue });
  const [request] = provider.requests();
  return {
    code: json.result?._meta?.["switchyard/error"]?.code,
    token: request?.headers.authorization?.replace("Bearer ", ""),
  };
}

async function lastRecord() {
  const { body } = await mcp.owner.browser.get(`${base}/tool-calls`);
  return (await mcp.owner.browser.get(`${base}/tool-calls/${body.data[0].id}`)).body;
}

describe("the rules of a key", () => {
  it.each<[string[], Record<string, string[]>]>([
    [["github_create_issue"], { github: ["github_create_issue"], slack: [] }],
    [["github_create_*"], { github: ["github_create_issue", "github_create_issue_comment"], system: [] }],
    [["*_search_*"], { github: ["github_search_issues"], slack: [] }],
    [["system"], { system: ["system_date_time", "system_transform_json", "system_wait"], slack: [] }],
    [
      ["sys*", "slack_send_message"],
      { slack: ["slack_send_message"], system: ["system_date_time", "system_transform_json", "system_wait"] },
    ],
    [["git"], { github: [] }],
  ])("%j leave of the lists what they fit", async (rules, expected) => {
    const { client } = await createKey(rules);
    for (const [serverId, names] of Object.entries(expected)) {
      expect((await namesOf(client, serverId)).sort(), serverId).toEqual(names);
      const { json } = await client.modern(serverId, "tools/list");
      expect(json.result).toMatchObject({ cacheScope: "private" });
    }
  });

  it("refuse a call of anything else, whatever is sent with it, and the history has it", async () => {
    const { client, id } = await createKey(["github_search_issues", "system_date_time"]);
    const { reference } = await createAccount("allowed");
    expect(await callIssue(client, { credentials: { github: reference } })).toEqual({
      code: "tool_not_allowed",
      token: undefined,
    });
    expect(await lastRecord()).toMatchObject({
      tool: "github_create_issue",
      status: "refused",
      apiKeyId: id,
      credentials: { github: reference },
      error: { code: "tool_not_allowed" },
    });
    const { json } = await client.legacy("system", "tools/call", { name: "system_wait", arguments: { seconds: 0 } });
    expect(json.result).toMatchObject({ isError: true, _meta: { "switchyard/error": { code: "tool_not_allowed" } } });
    const { json: allowed } = await client.legacy("system", "tools/call", { name: "system_date_time" });
    expect(allowed.result).not.toHaveProperty("isError");
  });

  it("are shown, changed and lifted, in force on the very next request", async () => {
    const { client, id, toolRules } = await createKey(["system_wait"]);
    const listed = async () =>
      (await mcp.owner.browser.get(`${base}/api-keys`)).body.data.find((key: { id: string }) => key.id === id);
    expect([toolRules, (await listed()).toolRules]).toEqual([["system_wait"], ["system_wait"]]);
    const change = (body: object) => mcp.owner.browser.patch(`${base}/api-keys/${id}`, body);
    expect((await change({ toolRules: ["system_date_time"] })).body).toMatchObject({
      id,
      name: "bot",
      toolRules: ["system_date_time"],
    });
    expect(await namesOf(client, "system")).toEqual(["system_date_time"]);
    expect((await change({ name: "robot" })).body).toMatchObject({ name: "robot", toolRules: ["system_date_time"] });
    expect((await change({ toolRules: null })).body).toMatchObject({ name: "robot", toolRules: null });
    expect(await namesOf(client, "system")).toHaveLength(3);
    expect((await mcp.owner.browser.delete(`${base}/api-keys/${id}`)).status).toBe(204);
    expect((await change({ name: "ghost" })).status).toBe(404);
  });

  it.each([["*"], ["**"], [""], ["a b"], ["GitHub"], ["git?"], ["git.*"], ["a".repeat(65)], ["[a-z]"], ["slack/send"]])(
    "cannot be %j",
    async (rule) => {
      const given = { name: "bot", scopes: ["mcp:invoke"], toolRules: ["github", rule] };
      const { status, body } = await mcp.owner.browser.post(`${base}/api-keys`, given);
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, "/toolRules/1"]);
    },
  );

  it("cannot be none at all: null says everything, deleting the key nothing", async () => {
    const given = { name: "bot", scopes: ["mcp:invoke"], toolRules: [] };
    expect((await mcp.owner.browser.post(`${base}/api-keys`, given)).body.errors).toMatchObject([
      { pointer: "/toolRules" },
    ]);
  });

  it("change nothing for a key that has none, byte for byte, not even while others have some", async () => {
    const read = async (client: McpClient) =>
      await Promise.all(
        ["github", "system", "slack"].flatMap((serverId) =>
          (["legacy", "modern"] as const).map(async (era) => (await client[era](serverId, "tools/list")).text),
        ),
      );
    const before = await read(mcp.client);
    await createKey(["github_*"]);
    const elsewhere = await createAccount("elsewhere", bob.organizationId);
    const path = `/api/organizations/${bob.organizationId}/default-credentials/github`;
    expect((await bob.browser.send("PUT", path, { credentialId: elsewhere.id })).status).toBe(200);
    expect(await read(mcp.client)).toEqual(before);
    expect(await read((await createKey()).client)).toEqual(before);
    expect(before.join("")).toContain('"cacheScope":"public"');
    expect(before.join("")).not.toContain('"private"');
  });
});

describe("a default credential", () => {
  it("is used when the call names none, the schema says so, and the record names it", async () => {
    const { client } = await createKey();
    expect(await requiredOf(client)).toContain("credentials");
    expect(await callIssue(client)).toEqual({ code: "credential_reference_invalid", token: undefined });
    const account = await createAccount("organization-token");
    const set = await setDefault("github", { credentialId: account.id });
    const entry = { type: "github", credentialId: account.id, reference: account.reference, apiKeyId: null };
    expect([set.status, set.body]).toEqual([200, entry]);
    expect((await mcp.owner.browser.get(`${base}/default-credentials`)).body).toEqual({ data: [entry] });
    expect(await requiredOf(client)).toEqual(["owner", "repo", "title"]);
    expect((await listTools(client, "slack"))[0]?.inputSchema.required).toContain("credentials");
    expect(await callIssue(client)).toEqual({ code: undefined, token: "organization-token" });
    expect(await lastRecord()).toMatchObject({ status: "success", credentials: { github: account.reference } });
  });

  it("changes what the servers of its type say when a caller connects, and only those", async () => {
    const { client } = await createKey();
    const instructionsOf = async (serverId: string) => {
      const modern = (await client.modern(serverId, "server/discover")).text;
      const legacy = (await client.legacy(serverId, "initialize", { protocolVersion: "2025-11-25" })).text;
      const [said, ...others] = [modern, legacy].map((text) => JSON.parse(text).result.instructions as string);
      expect(others).toEqual([said]);
      return { said, cacheScope: JSON.parse(modern).result.cacheScope as string };
    };
    const needed = { said: expect.stringContaining("Every tool needs `credentials`"), cacheScope: "public" };
    expect([await instructionsOf("github"), await instructionsOf("slack")]).toEqual([needed, needed]);
    await setDefault("github", { credentialId: (await createAccount("chosen")).id });
    const chosen = {
      said: expect.stringContaining("chosen beforehand, unless it is given `credentials`"),
      cacheScope: "private",
    };
    expect([await instructionsOf("github"), await instructionsOf("slack")]).toEqual([chosen, needed]);
    expect((await instructionsOf("system")).said).not.toContain("credentials");
  });

  it("of a key goes before the organization's, and a reference in the call before both", async () => {
    const [own, other] = [await createKey(), await createKey()];
    const [ours, keys, named] = [
      await createAccount("ours"),
      await createAccount("keys"),
      await createAccount("named"),
    ];
    await setDefault("github", { credentialId: keys.id, apiKeyId: own.id });
    expect(await callIssue(other.client)).toMatchObject({ code: "credential_reference_invalid" });
    await setDefault("github", { credentialId: ours.id });
    expect(await callIssue(own.client)).toMatchObject({ token: "keys" });
    expect(await lastRecord()).toMatchObject({ credentials: { github: keys.reference } });
    expect(await callIssue(other.client)).toMatchObject({ token: "ours" });
    expect(await callIssue(own.client, { credentials: { github: named.reference } })).toMatchObject({ token: "named" });
    expect(await lastRecord()).toMatchObject({ credentials: { github: named.reference } });
    const unknown = `credential:organization:${randomUUID()}`;
    expect(await callIssue(own.client, { credentials: { github: unknown } })).toEqual({
      code: "credential_not_accessible",
    });
    const removed = await mcp.owner.browser.delete(`${base}/default-credentials/github?apiKeyId=${own.id}`);
    expect(removed.status).toBe(204);
    expect(await callIssue(own.client)).toMatchObject({ token: "ours" });
  });

  it("is replaced by setting another and ends with DELETE, once", async () => {
    const { client } = await createKey();
    for (const token of ["first", "second"]) {
      await setDefault("github", { credentialId: (await createAccount(token)).id });
      expect(await callIssue(client)).toMatchObject({ token });
    }
    const remove = () => mcp.owner.browser.delete(`${base}/default-credentials/github`);
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect(await requiredOf(client)).toContain("credentials");
  });

  it("goes with its credential: the very next request needs one again", async () => {
    const { client } = await createKey();
    const account = await createAccount("short-lived");
    await setDefault("github", { credentialId: account.id });
    expect(await requiredOf(client)).not.toContain("credentials");
    expect((await mcp.owner.browser.delete(`${base}/credentials/${account.id}`)).status).toBe(204);
    expect(await requiredOf(client)).toContain("credentials");
    expect(await callIssue(client)).toMatchObject({ code: "credential_reference_invalid" });
    expect((await mcp.owner.browser.get(`${base}/default-credentials`)).body).toEqual({ data: [] });
  });

  it("goes with its key", async () => {
    const { id } = await createKey();
    await setDefault("github", { credentialId: (await createAccount("orphan")).id, apiKeyId: id });
    await mcp.owner.browser.delete(`${base}/api-keys/${id}`);
    expect((await mcp.owner.browser.get(`${base}/default-credentials`)).body).toEqual({ data: [] });
  });

  it("works together with rules", async () => {
    const { client } = await createKey(["github_search_issues"]);
    await setDefault("github", { credentialId: (await createAccount("both")).id });
    expect(await namesOf(client, "github")).toEqual(["github_search_issues"]);
    expect((await listTools(client, "github"))[0]?.inputSchema.required).not.toContain("credentials");
    expect(await callIssue(client)).toEqual({ code: "tool_not_allowed", token: undefined });
  });

  it("must be the organization's own, of the type, and for a key of its own", async () => {
    const [ours, theirs] = [await createAccount("ours"), await createAccount("theirs", bob.organizationId)];
    const { id: foreignKey } = await mcp.createKey(["mcp:invoke"], bob.organizationId);
    const answers = await Promise.all([
      setDefault("github", { credentialId: theirs.id }),
      setDefault("github", { credentialId: randomUUID() }),
      setDefault("slack", { credentialId: ours.id }),
      setDefault("nothing", { credentialId: ours.id }),
      setDefault("github", { credentialId: ours.id, apiKeyId: foreignKey }),
      setDefault("github", { credentialId: ours.id, apiKeyId: randomUUID() }),
    ]);
    expect(answers.map(({ body }) => body.code)).toEqual([
      "credential_not_accessible",
      "credential_not_accessible",
      "credential_type_mismatch",
      "validation_failed",
      "not_found",
      "not_found",
    ]);
    expect(await mcp.app.database.query("SELECT * FROM default_credential")).toEqual([]);
    const insert =
      "INSERT INTO default_credential (organization_id, credential_type, credential_id) VALUES ($1, 'github', $2)";
    await expect(mcp.app.database.query(insert, [mcp.owner.organizationId, theirs.id])).rejects.toThrow("foreign key");
  });

  it("is for admins to set and for members to see", async () => {
    const { browser } = await signUpMember(mcp.app, mcp.owner.organizationId, "Mona", "member");
    const account = await createAccount("seen");
    await setDefault("github", { credentialId: account.id });
    expect((await browser.get(`${base}/default-credentials`)).body.data).toHaveLength(1);
    const refused = [
      await browser.send("PUT", `${base}/default-credentials/github`, { credentialId: account.id }),
      await browser.delete(`${base}/default-credentials/github`),
      await browser.patch(`${base}/api-keys/${mcp.keyId}`, { toolRules: ["system"] }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(["role_required", "role_required", "role_required"]);
  });
});

describe("the matching of a rule", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "_"), maxLength: 12 });
  const rule = fc.string({ unit: fc.constantFrom("a", "b", "_", "*"), maxLength: 8 });

  it("is what an expression with .* for each star says", () => {
    fc.assert(
      fc.property(rule, name, (pattern, text) => {
        expect(matchesRule(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes every other character for itself", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 20 }),
        fc.string({ unit: "binary", maxLength: 20 }),
        (one, other) => {
          const literal = one.replaceAll("*", "");
          expect(matchesRule(literal, literal)).toBe(true);
          expect(matchesRule(literal, other)).toBe(literal === other);
          expect(matchesRule(`${literal}*`, literal + other)).toBe(true);
        },
      ),
    );
    for (const pattern of [".*", "a|b", "[ab]", "a?", "(a)", "\\w", "a+"])
      expect(matchesRule(pattern, "a"), pattern).toBe(pattern === "a");
  });

  it("takes time in proportion to the name, also for what makes expressions explode", () => {
    const match = () => {
      expect(matchesRule(`${"a*".repeat(50)}b`, "a".repeat(1_000_000))).toBe(false);
      expect(matchesRule(`${"*a".repeat(50)}*b*`, "a".repeat(1_000_000))).toBe(false);
    };
    expect(shortestTime(match)).toBeLessThan(2_000);
  });
});
