import { describe, expect, it } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { toMcpTool } from "../../src/catalog/mcp-tool.ts";
import { engineNodes } from "../../src/workflows/engine-nodes/engine-nodes.ts";

type Schema = {
  type?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
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
    expect(
      fields.filter(([, { description = "" }]) => !/^\S.{3,}[.!?…]$/su.test(description)).map(([place]) => place),
    ).toEqual([]);
  });
});

const polls = providers.flatMap(({ id, polls: own }) => own.map((poll) => ({ name: `${id} ${poll.id}`, poll })));

it.each(polls)("$name describes itself and every parameter in a sentence", ({ poll }) => {
  const described: [string, Schema][] = [["", poll], ...fieldsOf(toJsonSchema(poll.parameters, "input") as Schema)];
  expect(
    described.filter(([, { description = "" }]) => !/^\S.{3,}[.!?…]$/su.test(description)).map(([place]) => place),
  ).toEqual([]);
});

/** What the schema alone does not tell: any object, an id, or words in a notation of their own. */
function isNotObvious(
  place: string,
  { type, properties, items, anyOf, enum: choices, description = "" }: Schema,
): boolean {
  const isAnything = type === undefined && anyOf === undefined && choices === undefined;
  const isOpen =
    isAnything ||
    (type === "object" && !properties) ||
    (type === "array" && items !== undefined && isNotObvious("", items));
  return isOpen || /(?:Ids?|Sid|Key)$/.test(place) || notations.test(description);
}

const notations =
  /RFC \d|JSONata|JQL|OData|SQL|IANA|notation|E\.164|statement|formula|\bcode\b|mrkdwn|placeholder|currency unit/i;

/** An example, or where the value is to be found. */
const isShown = ({ description = "", default: usual, examples }: Schema): boolean =>
  usual !== undefined ||
  examples !== undefined ||
  /e\.g\.|such as|for example|finds (?:it|both|them)|begins with|as (?:in|on) |part of |Copy /i.test(description);

const forms = [
  ...actions.map(({ id, input }) => ({ name: id, input })),
  ...polls.map(({ name, poll }) => ({ name, input: poll.parameters })),
  ...[...engineNodes.values()].map(({ id, input }) => ({ name: id, input })),
];

it.each(forms)("$name shows by an example what is not obvious", ({ input }) => {
  const fields = fieldsOf(toJsonSchema(input, "input") as Schema);
  expect(
    fields.filter(([place, field]) => isNotObvious(place, field) && !isShown(field)).map(([place]) => place),
  ).toEqual([]);
});

describe.each(actions.filter(({ findBytes }) => findBytes !== undefined))("$id, which returns bytes", (action) => {
  it("says once that MCP clients may get a handle", () => {
    const { outputSchema } = toMcpTool(action);
    expect(JSON.stringify(outputSchema).split("handle")).toHaveLength(2);
    expect(outputSchema.properties.items).toMatchObject({
      description: expect.stringContaining("`result:{record}#/{item}/{field}`"),
    });
  });
});
