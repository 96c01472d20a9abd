import { describe, expect, it } from "vitest";
import { toJsonSchema } from "../src/catalog/json-schema.ts";
import { loadProviders } from "../src/catalog/load-providers.ts";

type Schema = {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
};

const tools = (await loadProviders()).flatMap(({ tools }) => tools);

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
describe.each(tools)("$id", (tool) => {
  it.each(["input", "output"] as const)("describes every field of its %s in a sentence", (io) => {
    const fields = fieldsOf(toJsonSchema(tool[io], io) as Schema);
    expect(fields.filter(([, { description = "" }]) => !/^\S.{3,}[.!?…]$/su.test(description)).map(([place]) => place)).toEqual([]);
  });
});
