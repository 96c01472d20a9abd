import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { fieldMessage } from "../../src/base/field-message.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { engineNodes } from "../../src/workflows/engine-nodes/engine-nodes.ts";
import { expressionFieldsOf, nullableFieldsOf } from "../../src/workflows/expression-fields.ts";
import { resolveParameters } from "../../src/workflows/resolve-parameters.ts";
import { fromUnit } from "../../web/node-form/durations.ts";
import { describeShape, type FormField, fieldsOf, type Schema } from "../../web/node-form/field-shape.ts";
import { readJson, readNumber, readRows, readText, setField } from "../../web/node-form/field-values.ts";
import { shownFields } from "../../web/node-form/shown-fields.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { writeRobotKey } from "../support/robot-key.ts";

type FormProps = {
  schema: Schema;
  value: Schema;
  onChange: () => void;
  faults: [];
  expressions?: { suggestions: [] };
  idPrefix: string;
};

// The forms are compiled for browsers, whose types this side of the repository does not know.
const loadForm = async () =>
  (await import(new URL("../../web/node-form/schema-form.tsx", import.meta.url).href))
    .SchemaForm as ComponentType<FormProps>;

let SchemaForm: ComponentType<FormProps>;
beforeAll(async () => {
  SchemaForm = await loadForm();
});

const catalog = createCatalog(await loadProviders());
type Form = { name: string; input: z.ZodObject; takesReferences: boolean };
const forms: Form[] = [
  ...[...catalog.actions.values()].map(({ id, input }) => ({ name: id, input, takesReferences: true })),
  ...[...engineNodes.values()].map(({ id, input }) => ({ name: id, input, takesReferences: true })),
  ...[...catalog.credentialTypes.values()].flatMap(({ definition }) =>
    definition.variants.map(({ kind, fields }) => ({
      name: `${definition.type} ${kind}`,
      input: fields,
      takesReferences: false,
    })),
  ),
];

function render({ input, takesReferences }: Form, value: Schema): string {
  const form = {
    schema: toJsonSchema(input, "input"),
    value,
    onChange: () => undefined,
    faults: [] as [],
    idPrefix: "form",
  };
  return renderToStaticMarkup(
    createElement(SchemaForm, takesReferences ? { ...form, expressions: { suggestions: [] as [] } } : form),
  );
}

/** What a person types into a field, read as its control reads it. */
function type(schema: Schema): unknown {
  const shape = describeShape(schema);
  switch (shape.kind) {
    case "text":
      return readText(sampleText(schema));
    case "number":
      return readNumber(String(shape.minimum ?? shape.maximum ?? 7));
    case "boolean":
      return true;
    case "choice":
      return shape.options.at(-1)?.value;
    case "toggle":
      return shape.off;
    case "duration":
      return fromUnit(5, "minutes");
    case "list":
      return [type(shape.entry)];
    case "object":
      return fill(fieldsOf(shape.schema));
    case "record":
      return readRows([{ key: "Name", value: type(shape.entry) }]);
    case "union":
      return type(shape.options[0] ?? {});
    case "expression":
      return readText("1 = 1");
    case "condition":
      return { match: "all", rows: [{ field: "$input.a", operator: "is", value: "a" }] };
    case "free":
      return readText("anything");
    case "json":
      return readJson(shape.type === "array" ? '[["a", 1]]' : '{"x-a": 1}').value;
  }
}

const samples: Record<string, string> = {
  uri: "https://example.com/",
  email: "ann@example.com",
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  uuid: "01a1dd9d-2ae8-74c8-8df8-37a9edb76783",
};
const byPattern = [
  "eu-west-1",
  "text/plain",
  "AC0123456789abcdef0123456789abcdef",
  "SK0123456789abcdef0123456789abcdef",
  "MG0123456789abcdef0123456789abcdef",
  "-----BEGIN CERTIFICATE----- MA== -----END CERTIFICATE-----",
  writeRobotKey("https://oauth2.googleapis.com/token"),
  "https://example.com/",
  "a",
];

function sampleText({ format, pattern, minLength = 1 }: Schema): string {
  const known = samples[String(format)];
  if (known !== undefined) return known;
  const fitting = typeof pattern === "string" ? byPattern.find((text) => new RegExp(pattern).test(text)) : undefined;
  return fitting ?? "a".repeat(Math.max(1, Number(minLength)));
}

const fill = (fields: FormField[]): Schema =>
  fields.reduce<Schema>((value, { name, schema }) => setField(value, name, type(schema)), {});

/** What the server says about a value, once its references are resolved as in a run. */
async function findFaults({ input, takesReferences }: Form, value: Schema): Promise<string[]> {
  const scope = {
    trigger: { source: "manual", sender: null, prompt: "", payload: null },
    nodes: {},
    input: {},
    node: { id: "n", instruction: "" },
    vars: {},
  };
  const resolved = takesReferences
    ? await resolveParameters(value, scope, {
        organizationId: "an-organization",
        expressionFields: expressionFieldsOf(input),
        nullableFields: nullableFieldsOf(input),
      })
    : value;
  const { error } = input.safeParse(resolved, { error: fieldMessage });
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join("/")} ${message}`);
}

describe("the forms of all tools, built-in nodes and accounts", () => {
  it("are as many as there are", () => {
    expect([...catalog.actions.keys()].sort()).toEqual(onDisk.providerTools);
    expect(engineNodes.size).toBe(16);
    // Some accounts have several ways in, with a form each.
    expect(forms.length).toBeGreaterThan(onDisk.providerTools.length + 15 + onDisk.providersWithAccounts.length);
  });

  it.each(forms)("show every field of $name, each with a label and an id of its own", (form) => {
    const fields = fieldsOf(toJsonSchema(form.input, "input"));
    for (const value of [{}, fill(fields)]) {
      const html = render(form, value);
      for (const { name } of shownFields(fields, value)) {
        expect(html).toContain(`data-pointer="/${name}"`);
        expect(html).toMatch(new RegExp(`(for="form/${name}"|aria-labelledby="form/${name}-label")`));
      }
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it.each(forms)("give what the server accepts when any field of $name is filled in", async (form) => {
    const fields = fieldsOf(toJsonSchema(form.input, "input"));
    const required = fields.filter(({ isRequired }) => isRequired);
    for (const field of fields) {
      const value = fill([...required.filter(({ name }) => name !== field.name), field]);
      const faults = await findFaults(form, value);
      expect(faults.filter((fault) => required.concat(field).some(({ name }) => fault.startsWith(`/${name}`)))).toEqual(
        [],
      );
    }
  });

  it.each(forms)("mark as required what the server misses in an empty form of $name", async (form) => {
    const required = fieldsOf(toJsonSchema(form.input, "input")).filter(({ isRequired }) => isRequired);
    const missing = await findFaults(form, {});
    for (const { name } of required) expect(missing.map((fault) => fault.split(" ")[0])).toContain(`/${name}`);
  });
});
