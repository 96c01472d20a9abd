import { randomUUID } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CatalogAction } from "../../src/catalog/catalog.ts";
import { nameTools, onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import type { McpClient, ToolEntry } from "../support/gateway/mcp-client.ts";
import { signUpOwner } from "../support/people.ts";

let mcp: McpApp;
let platform: McpClient;
let lists: Map<string, ToolEntry[]>;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

beforeAll(async () => {
  mcp = await startMcpApp();
  platform = mcp.connect("platform", ["platform:read", "platform:write"]);
  const list = async (id: string) =>
    (await (id === "platform" ? platform : mcp.client).modern(id, "tools/list")).json.result?.tools ?? [];
  lists = new Map(await Promise.all(onDisk.serverIds.map(async (id) => [id, await list(id)] as const)));
});
afterAll(() => mcp.stop());

const all = () => [...lists.values()].flat();
const tools = () => [...lists].filter(([id]) => id !== "platform").flatMap(([, list]) => list);

describe("the tools of all servers", () => {
  it("are those of the providers' folders, each on the server of its provider, and the platform's", () => {
    expect(nameTools([...lists].map(([id, tools]) => ({ id, tools })))).toEqual(onDisk.toolsByServer);
  });

  it("have unique names of letters, digits and underscores", () => {
    expect(new Set(all().map(({ name }) => name)).size).toBe(all().length);
    for (const { name } of all()) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
  });

  it("are the actions: name, words, hints and schemas", () => {
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools()) {
      const action = mcp.app.parts.catalog.actions.get(name);
      const { readOnly, destructive, idempotent, openWorld } = action?.hints ?? {};
      expect([title, description]).toEqual([action?.title, action?.description]);
      expect(annotations).toEqual({
        title,
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld,
      });
      const { credentials: _, ...properties } = inputSchema.properties;
      // Which list of an account a field offers, and what it starts as, is for our own forms.
      const fields = Object.entries((action?.inputSchema.properties ?? {}) as Record<string, Record<string, unknown>>);
      expect({
        ...inputSchema,
        properties,
        required: inputSchema.required?.filter((field) => field !== "credentials") ?? [],
      }).toEqual({
        ...action?.inputSchema,
        properties: Object.fromEntries(fields.map(([field, schema]) => [field, withoutFormHints(schema)])),
        required: action?.inputSchema.required ?? [],
      });
      expect(outputSchema).toEqual({
        type: "object",
        properties: {
          items: {
            type: "array",
            items: action?.outputSchema,
            ...(action?.findBytes ? { description: expect.any(String) } : {}),
          },
          cut: { type: "string", description: expect.any(String) },
        },
        required: ["items"],
        additionalProperties: false,
      });
    }
  });

  it("require credentials where the node asks for an account, and know none elsewhere", () => {
    const [needing, free] = [tools().filter(needsCredentials), tools().filter((tool) => !needsCredentials(tool))];
    const asking = [...mcp.app.parts.catalog.actions.values()].filter(({ credential }) => credential !== null);
    expect(needing.map(({ name }) => name).sort()).toEqual(asking.map(({ id }) => id).sort());
    expect(free.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["system_date_time", "system_transform_json", "system_wait"]),
    );
    for (const { name, inputSchema } of free) expect(inputSchema.properties, name).not.toHaveProperty("credentials");
    for (const { name, inputSchema } of needing) {
      const { credential, worksWithoutAccount, alsoTakes } = mcp.app.parts.catalog.actions.get(name) as CatalogAction;
      const type = credential?.type as string;
      const credentials = inputSchema.properties.credentials;
      expect([Object.keys(credentials?.properties ?? {}), credentials?.required], name).toEqual([
        [type, ...alsoTakes],
        worksWithoutAccount ? undefined : [type],
      ]);
      const reference = new RegExp(credentials?.properties?.[type]?.pattern as string);
      expect(`credential:organization:${randomUUID()}`).toMatch(reference);
      for (const wrong of ["xoxb-secret", "credential:user:1", `credential:organization:${randomUUID()} `])
        expect(wrong).not.toMatch(reference);
    }
  });

  it("have schemas that compile, stand alone and refuse unknown parameters", () => {
    for (const { name, inputSchema, outputSchema } of all()) {
      expect(() => [ajv.compile(inputSchema), ajv.compile(outputSchema)], name).not.toThrow();
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: "object" });
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toMatch(
        /\$schema|\$ref|\$defs|9007199254740991|propertyNames/,
      );
    }
  });
});

const needsCredentials = ({ inputSchema }: ToolEntry) => inputSchema.required?.includes("credentials") === true;

describe("a call", () => {
  const translation = { texts: ["hello"], targetLang: "DE" };

  it("answers what its output schema promises, in both forms", async () => {
    const { json } = await mcp.client.modern("system", "tools/call", {
      name: "system_date_time",
      arguments: { timeZone: "Europe/Berlin" },
    });
    const schema = lists.get("system")?.find(({ name }) => name === "system_date_time")?.outputSchema ?? {};
    const { structuredContent, content } = json.result ?? {};
    expect(ajv.validate(schema, structuredContent), JSON.stringify(ajv.errors)).toBe(true);
    expect(content?.map(({ text }) => JSON.parse(text))).toEqual(structuredContent?.items);
  });

  it.each([
    ["none", {}, "credential_reference_invalid"],
    ["a secret instead of a reference", { credentials: { deepl: "canary-secret" } }, "credential_reference_invalid"],
    [
      "one that nobody has",
      { credentials: { deepl: `credential:organization:${randomUUID()}` } },
      "credential_not_accessible",
    ],
    ["something that is no object", { credentials: "deepl" }, "credential_reference_invalid"],
  ])("that needs credentials and names %s is refused", async (_, given, code) => {
    const { json, text } = await mcp.client.legacy("deepl", "tools/call", {
      name: "deepl_translate_text",
      arguments: { ...translation, ...given },
    });
    expect(json.result).toMatchObject({ isError: true, _meta: { "switchyard/error": { code } } });
    expect(text).not.toContain("canary");
  });

  it("cannot use a credential of another organization, and is told the same as for one that does not exist", async () => {
    const { organizationId } = await signUpOwner(mcp.app, "Bob");
    const account = { type: "deepl", name: "DeepL", data: { apiKey: "key" }, createdBy: null };
    const { reference } = await mcp.app.parts.vault.credentials.create(organizationId, account);
    const answers = await Promise.all(
      [reference, `credential:organization:${randomUUID()}`].map((deepl) =>
        mcp.client.legacy("deepl", "tools/call", {
          name: "deepl_translate_text",
          arguments: { ...translation, credentials: { deepl } },
        }),
      ),
    );
    const [foreign, unknown] = answers.map(({ json }) => [
      json.result?.content,
      json.result?._meta["switchyard/error"].code,
    ]);
    expect(foreign).toEqual(unknown);
    expect(foreign?.[1]).toBe("credential_not_accessible");
  });
});

describe("a caller with rules of their own", () => {
  const some = { allows: (name: string) => name !== "system_wait", defaults: new Map<string, string>() };

  it("sees and calls only what they allow, and no cache shows the list to others", async () => {
    const limited = mcp.connect("system", ["mcp:invoke"], { view: some });
    for (const era of ["legacy", "modern"] as const) {
      const { json } = await limited[era]("system", "tools/list");
      expect(json.result?.tools.map(({ name }) => name)).toEqual(["system_date_time", "system_transform_json"]);
      const call = (name: string, given: object) => limited[era]("system", "tools/call", { name, arguments: given });
      expect((await call("system_wait", { seconds: 0 })).json.result?._meta["switchyard/error"].code).toBe(
        "tool_not_allowed",
      );
      expect((await call("system_date_time", {})).json.result).not.toHaveProperty("isError");
    }
    const { json } = await limited.modern("system", "tools/list");
    expect(json.result).toMatchObject({ cacheScope: "private", ttlMs: 300_000, resultType: "complete" });
  });

  it("may leave out the credentials that have a default, and the schema says so", async () => {
    const reference = `credential:organization:${randomUUID()}`;
    const view = { allows: () => true, defaults: new Map([["deepl", reference]]) };
    const calling = mcp.connect("deepl", ["mcp:invoke"], { view });
    const [tool] = (await calling.modern("deepl", "tools/list")).json.result?.tools ?? [];
    expect(tool?.inputSchema.required).toEqual(["texts", "targetLang"]);
    expect(tool?.inputSchema.properties).toHaveProperty("credentials");
    const given = { texts: ["hello"], targetLang: "DE" };
    const { json } = await calling.modern("deepl", "tools/call", { name: "deepl_translate_text", arguments: given });
    // The default is looked up like any other reference; this one leads nowhere.
    expect(json.result?._meta["switchyard/error"].code).toBe("credential_not_accessible");
    const others = mcp.connect("slack", ["mcp:invoke"], { view });
    const [untouched] = (await others.modern("slack", "tools/list")).json.result?.tools ?? [];
    expect(untouched?.inputSchema.required).toContain("credentials");
  });
});

describe("the platform server", () => {
  const call = async (name: string, given: Record<string, unknown> = {}, client = platform) => {
    const { json } = await client.modern("platform", "tools/call", { name, arguments: given });
    if (!json.result?.isError) {
      const schema = lists.get("platform")?.find((tool) => tool.name === name)?.outputSchema ?? {};
      expect(ajv.validate(schema, json.result?.structuredContent), JSON.stringify(ajv.errors)).toBe(true);
    }
    return json.result;
  };

  it("says who is calling, and for which organization", async () => {
    const { id } = await mcp.app.parts.identity.organizations.create("Second team", mcp.owner.userId);
    const first = { id: mcp.owner.organizationId, name: "Ann's team", role: "owner" };
    const second = { id, name: "Second team", role: "owner" };
    const user = { id: mcp.owner.userId, name: "Ann", email: "ann@example.com" };
    const me = (await call("platform_get_me"))?.structuredContent;
    expect(me).toMatchObject({ user, organization: first });
    expect(me?.organizations).toEqual(expect.arrayContaining([first, second]));
    const elsewhere = mcp.connect("platform", ["platform:read"], { organizationId: id });
    expect((await call("platform_get_me", {}, elsewhere))?.structuredContent).toMatchObject({
      user,
      organization: second,
    });
  });

  it("lists credentials without their secrets", async () => {
    const { credentials } = mcp.app.parts.vault;
    for (const name of ["Alpha", "Beta", "Gamma"])
      await credentials.create(mcp.owner.organizationId, {
        type: "deepl",
        name,
        data: { apiKey: `canary-${name}` },
        createdBy: null,
      });
    const listed = await call("platform_list_credentials", { limit: 2, offset: 1 });
    expect(listed?.structuredContent).toMatchObject({ total: 3 });
    const page = listed?.structuredContent.credentials as Record<string, unknown>[];
    expect(page.map((entry) => Object.keys(entry).sort())).toEqual([
      ["health", "name", "reference", "type"],
      ["health", "name", "reference", "type"],
    ]);
    expect(JSON.stringify(listed)).not.toContain("canary");
    const searched = await call("platform_list_credentials", { search: "gam" });
    expect(searched?.structuredContent).toMatchObject({ total: 1, credentials: [{ name: "Gamma", type: "deepl" }] });
    const { id } = await mcp.app.parts.identity.organizations.create("Empty team", mcp.owner.userId);
    const elsewhere = mcp.connect("platform", ["platform:read"], { organizationId: id });
    expect((await call("platform_list_credentials", {}, elsewhere))?.structuredContent).toEqual({
      total: 0,
      nextCursor: null,
      credentials: [],
    });
  });

  it.each([
    ["platform_list_workflows", "workflows"],
    ["platform_list_triggers", "triggers"],
    ["platform_list_executions", "executions"],
  ])("%s lists what there is", async (name, field) => {
    expect((await call(name))?.structuredContent).toMatchObject({ total: 0, [field]: [] });
    for (const wrong of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { limit: "20" }, { page: 1 }])
      expect(await call(name, wrong), JSON.stringify(wrong)).toMatchObject({ isError: true });
  });

  it.each([
    ["platform_get_workflow", { workflowId: randomUUID() }, "workflow_not_found"],
    ["platform_get_execution", { executionId: randomUUID() }, "not_found"],
    ["platform_set_trigger_active", { triggerId: randomUUID(), active: false }, "not_found"],
    ["platform_get_workflow", { workflowId: "1" }, "validation_failed"],
    ["platform_get_workflow", {}, "validation_failed"],
  ])("%s refuses %j", async (name, given, code) => {
    expect(await call(name, given)).toMatchObject({ isError: true, _meta: { "switchyard/error": { code } } });
  });

  it("lists the calls of the organization, newest first", async () => {
    await mcp.client.legacy("system", "tools/call", { name: "system_wait", arguments: { seconds: 0 } });
    const list = async (page: object) =>
      (await call("platform_list_tool_invocations", { ...page }))?.structuredContent.toolInvocations;
    const listed = (await list({})) as { tool: string; queuedAt: string }[];
    expect(listed.find(({ tool }) => tool === "system_wait")).toMatchObject({
      source: "mcp",
      status: "success",
      apiKeyName: "test",
    });
    const times = listed.map(({ queuedAt }) => queuedAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(await list({ limit: 1 })).toHaveLength(1);
  });

  it("only lets platform_set_trigger_active change anything", () => {
    const changing = lists.get("platform")?.filter(({ annotations }) => annotations.readOnlyHint === false);
    expect(changing?.map(({ name }) => name)).toEqual(["platform_set_trigger_active"]);
    expect(changing?.[0]?.annotations).toMatchObject({ idempotentHint: true, destructiveHint: false });
  });
});

type Field = Record<string, unknown>;

function withoutFormHints(schema: Field): Field {
  const { choices: _, choicesNeed: __, startsAs: ___, toggle: ____, items, ...field } = schema;
  return items === undefined ? field : { ...field, items: withoutFormHints(items as Field) };
}
