import { describe, expect, it } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { toMcpTool } from "../../src/catalog/mcp-tool.ts";

type Schema = {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
};

const providers = await loadProviders();
const actions = [...createCatalog(providers).actions.values()];

/** Every field with its place, also those inside of others. */
function fieldsOf(schema: Schema, place = ""): [string, Schema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, Schema][] => [
    [`${place}/${name}`, field],
    ...fieldsOf(field, `${place}/${name}`),
  ]);
  const inside = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  return [...own, ...inside.flatMap((one) => (typeof one === "object" ? fieldsOf(one, `${place}/*`) : []))];
}

/** A model or a person who has never seen the service reads only these words. */
describe.each(actions)("$id", (action) => {
  it.each(["input", "output"] as const)("describes every field of its %s in a sentence", (io) => {
    const fields = fieldsOf(toJsonSchema(action[io], io) as Schema);
    expect(fields.filter(([, { description = "" }]) => !/^\S.{3,}[.!?…]$/su.test(description)).map(([place]) => place)).toEqual([]);
  });
});

const polls = providers.flatMap(({ id, polls: own }) => own.map((poll) => ({ name: `${id} ${poll.id}`, poll })));

it.each(polls)("$name describes itself and every parameter in a sentence", ({ poll }) => {
  const described: [string, Schema][] = [["", poll], ...fieldsOf(toJsonSchema(poll.parameters, "input") as Schema)];
  expect(described.filter(([, { description = "" }]) => !/^\S.{3,}[.!?…]$/su.test(description)).map(([place]) => place)).toEqual([]);
});

describe.each(actions.filter(({ findBytes }) => findBytes !== undefined))("$id, which returns bytes", (action) => {
  it("says once that MCP clients may get a handle", () => {
    const { outputSchema } = toMcpTool(action);
    expect(JSON.stringify(outputSchema).split("handle")).toHaveLength(2);
    expect(outputSchema.properties.items).toMatchObject({ description: expect.stringContaining("`result:{record}#/{item}/{field}`") });
  });
});
