import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { defaultModels } from "../../src/base/default-models.ts";
import { type Catalog, type CatalogAction, createCatalog, readInput } from "../../src/catalog/catalog.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { toMcpTool } from "../../src/catalog/mcp-tool.ts";
import { agreedPlatformTools, agreedProviders } from "../support/catalog/agreed-catalogue.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";

let catalog: Catalog;

beforeAll(async () => {
  catalog = createCatalog(await loadProviders());
});

describe("the catalogue", () => {
  it.each(Object.entries(agreedProviders))(
    "still has %s, with its account and its tools",
    (id, { credentialType, tools }) => {
      const provider = catalog.providers.find((candidate) => candidate.id === id);
      expect(provider?.actions.map((action) => action.id)).toEqual(expect.arrayContaining([...tools]));
      expect(provider?.credential?.type ?? null).toBe(credentialType);
      for (const tool of tools) expect(catalog.actions.get(tool)?.credential?.type ?? null, tool).toBe(credentialType);
    },
  );

  it("was agreed to have 31 servers with 75 tools, 9 of them the platform's", () => {
    const agreed = Object.values(agreedProviders).flatMap(({ tools }) => tools);
    expect([Object.keys(agreedProviders).length + 1, agreed.length + agreedPlatformTools.length]).toEqual([31, 75]);
    expect(agreedPlatformTools).toHaveLength(9);
  });

  it("holds what the folders hold", () => {
    expect(catalog.providers.map(({ id }) => id)).toEqual(onDisk.providerIds);
    expect([...catalog.actions.keys()].sort()).toEqual(onDisk.providerTools);
    expect([...catalog.credentialTypes.values()].map(({ provider }) => provider.id)).toEqual(
      onDisk.providersWithAccounts,
    );
  });

  it("says the same every time it is asked", async () => {
    const again = createCatalog(await loadProviders());
    expect(JSON.stringify([...again.actions.values()].map(({ inputSchema }) => inputSchema))).toBe(
      JSON.stringify([...catalog.actions.values()].map(({ inputSchema }) => inputSchema)),
    );
  });

  it("has the models as defaults that the installation sets, in form, validation and tool", async () => {
    const models = { ...defaultModels, openaiImage: "image-of-ours", elevenlabs: "voice-of-ours" };
    const { actions } = createCatalog(await loadProviders(), models);
    const image = actions.get("openai_generate_image") as CatalogAction;
    const speech = actions.get("elevenlabs_text_to_speech") as CatalogAction;
    expect(image.inputSchema.properties).toMatchObject({
      model: { default: "image-of-ours", description: "Model id.", choices: "imageModels" },
    });
    expect(readInput(image, { prompt: "p" })).toMatchObject({ model: "image-of-ours" });
    expect(readInput(speech, { voiceId: "v", text: "t" })).toMatchObject({ modelId: "voice-of-ours" });
    expect(() => readInput(image, { prompt: "p", other: 1 })).toThrow("other");
    expect(toMcpTool(image).inputSchema.properties).toMatchObject({ model: { default: "image-of-ours" } });
    expect(JSON.stringify(toMcpTool(image).inputSchema)).not.toContain("choices");
  });

  it("has only valid, strict schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { id, inputSchema, outputSchema } of catalog.actions.values()) {
      expect(ajv.validateSchema(inputSchema), id).toBe(true);
      expect(ajv.validateSchema(outputSchema), id).toBe(true);
      expect(inputSchema.additionalProperties, id).toBe(false);
      expect(JSON.stringify(inputSchema), id).not.toMatch(/\$schema|9007199254740991|propertyNames/);
    }
  });
});

describe("what people read", () => {
  const root = path.resolve(import.meta.dirname, "../..");
  const files = globSync(
    ["*.md", "package.json", "docs/**/*.md", "{bench,deploy,scripts,src,web}/**/*.{md,mjs,ts,tsx}"],
    {
      cwd: root,
      // A changelog tells what was true at its time.
      exclude: (name) => ["node_modules", "CHANGELOG.md"].includes(path.basename(name)),
    },
  );

  it("does not count the catalogue: a number would be wrong with the next provider", () => {
    const counting =
      /\b[1-9]\d+ (?:MCP )?(?:servers|tools|providers|services|kinds of accounts|folders)\b|\ball [1-9]\d+[,.]/;
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => counting.test(readFileSync(path.join(root, file), "utf8")))).toEqual([]);
  });
});

type Field = {
  name: string;
  type: string;
  required?: boolean;
  description: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
};
type Reference = {
  counts: { platformServer: { tools: number } };
  servers: {
    id: string;
    title: string;
    description: string;
    credential: {
      type: string;
      variants: { kind: string; fields?: { name: string; required: boolean; secret?: boolean }[] }[];
    } | null;
    tools: {
      id: string;
      title: string;
      description: string;
      input: Field[];
      output: Field[];
      hints: Record<string, boolean>;
    }[];
  }[];
};

const referenceFile = process.env.SWITCHYARD_CATALOGUE;

/**
 * The agreed catalogue is kept outside the repository; where it is at hand, ours must have all of it: names, types, defaults and limits. What
 * may be beside it: further fields that nobody must give, limits where none were agreed, a second form of a value, and further ways to
 * sign in.
 */
describe.skipIf(referenceFile === undefined)("the agreed catalogue (SWITCHYARD_CATALOGUE)", () => {
  const reference = (
    referenceFile === undefined ? { servers: [] } : JSON.parse(readFileSync(referenceFile, "utf8"))
  ) as Reference;

  it("is the one that test/support/catalog/agreed-catalogue.ts names", () => {
    const named = ({ credential, tools }: Reference["servers"][number]) => ({
      credentialType: credential?.type ?? null,
      tools: tools.map(({ id }) => id).sort(),
    });
    expect(agreedProviders).toEqual(Object.fromEntries(reference.servers.map((server) => [server.id, named(server)])));
    expect(agreedPlatformTools).toHaveLength(reference.counts.platformServer.tools);
  });

  it.each(reference.servers)("$id is as agreed", ({ id, title, description, credential, tools }) => {
    const provider = catalog.providers.find((candidate) => candidate.id === id);
    expect({ title: provider?.title, description: provider?.description }).toEqual({ title, description });
    expect(provider?.credential?.type ?? null).toBe(credential?.type ?? null);
    const kinds = provider?.credential?.variants.map(({ kind }) => kind) ?? [];
    expect(kinds).toEqual(expect.arrayContaining(credential?.variants.map(({ kind }) => kind) ?? []));
    expect(provider?.actions.map((action) => action.id).sort()).toEqual(tools.map((tool) => tool.id).sort());
  });

  it.each(reference.servers.flatMap(({ tools }) => tools))("$id is as agreed", (agreed) => {
    const action = catalog.actions.get(agreed.id);
    if (!action) throw new Error("is missing");
    const { title, description, hints } = action;
    expect({ title, description, hints }).toEqual({
      title: agreed.title,
      description: agreed.description,
      hints: agreed.hints,
    });
    const inputs = describeFields(action.inputSchema);
    const expected = Object.fromEntries(agreed.input.map(toExpectation));
    // A model that was agreed on may have ended since.
    if (action.defaultModel) delete expected[action.defaultModel.field]?.default;
    expect(inputs).toMatchObject(expected);
    const further = Object.entries(inputs).filter(([name]) => !agreed.input.some((field) => field.name === name));
    expect(further.filter(([, { required }]) => required)).toEqual([]);
    expect(describeOutput(action.outputSchema)).toMatchObject(
      Object.fromEntries(agreed.output.map(({ name, type }) => [name, openArray(type)])),
    );
  });
});

type Description = {
  type: string;
  required: boolean;
  enum?: unknown;
  default?: unknown;
  minimum?: unknown;
  maximum?: unknown;
};

function describeFields(schema: Record<string, unknown>): Record<string, Description> {
  const properties = schema.properties as Record<string, Record<string, unknown>>;
  const required = (schema.required ?? []) as string[];
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      { type: typeOf(field), required: required.includes(name), ...limitsOf(field) },
    ]),
  );
}

/** `*` stands for columns that only a query knows; lists count as lists, whatever is in them. */
function describeOutput(schema: Record<string, unknown>): Record<string, string> {
  const fields = Object.entries(describeFields(schema)).map(([name, { type }]) => [name, openArray(type)] as const);
  return { ...Object.fromEntries(fields), ...(schema.additionalProperties === false ? {} : { "*": "any" }) };
}

const openArray = (type: string): string => (type === "array" || type === "object[]" ? "array" : type);

const limitsOf = (field: Record<string, unknown>) =>
  Object.fromEntries(
    ["enum", "default", "minimum", "maximum"].filter((key) => field[key] !== undefined).map((key) => [key, field[key]]),
  );

function typeOf(field: Record<string, unknown>): string {
  // The first form is the agreed one.
  if (Array.isArray(field.anyOf)) return typeOf(field.anyOf[0] as Record<string, unknown>);
  if (field.type === undefined) return "any";
  if (field.type !== "array") return String(field.type);
  const items = field.items as Record<string, unknown>;
  return items?.type === undefined ? "array" : `${String(items.type)}[]`;
}

const toExpectation = (field: Field): [string, Description] => [
  field.name,
  { type: field.type, required: field.required === true, ...limitsOf(field as unknown as Record<string, unknown>) },
];
