type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  minLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  nullable?: boolean;
};

export type Operation = {
  method: "POST" | "PUT" | "PATCH";
  path: string;
  fields: Record<string, Schema>;
  required: string[];
  /** Whether it can be left out. */
  isOptional: boolean;
  sample: Record<string, unknown>;
};

type Document = {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
};

export const someId = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";

const named: Record<string, unknown> = { email: "someone@example.com" };
const ofType: Record<string, unknown> = { boolean: true, integer: 1 };
const formatted: Record<string, string> = {
  uuid: someId,
  "date-time": "2099-01-01T00:00:00Z",
  uri: "https://example.com/hook",
};

const takesAnything = ({ type, enum: values, properties, anyOf }: Schema) => !type && !values && !properties && !anyOf;

/** Every operation of a person with a body, as the server's own document describes it, with a body that has the right form. */
export function readOperations(document: Document, organizationId: string): Operation[] {
  const resolve = (schema: Schema): Schema => {
    const [value, nothing] = schema.anyOf ?? [];
    if (value && nothing?.type === "null") return { ...resolve(value), nullable: true };
    return schema.$ref ? (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
  };
  const sampleOf = (name: string, given: Schema): unknown => {
    const schema = resolve(given);
    if (schema.enum) return schema.enum.at(-1);
    if (schema.anyOf?.[0]) return sampleOf(name, schema.anyOf[0]);
    if (schema.type === "array") return [sampleOf(name, schema.items ?? {})];
    if (schema.type === "object") return sampleOfObject(schema);
    const { type = "", format = "" } = schema;
    return named[name] ?? ofType[type] ?? formatted[format] ?? "x".repeat(Math.max(1, schema.minLength ?? 1));
  };
  const sampleOfObject = ({ properties = {}, required = [] }: Schema) =>
    Object.fromEntries(required.map((key) => [key, sampleOf(key, properties[key] ?? {})]));
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content["application/json"]?.schema;
      if (!schema || path.startsWith("/task-runner/")) return [];
      const { properties = {}, required = [], nullable: isOptional = false } = resolve(schema);
      const resolved = Object.entries(properties).map(([name, field]) => [name, resolve(field)] as const);
      const fields = Object.fromEntries(resolved.filter(([, field]) => !takesAnything(field)));
      return [
        {
          method: method.toUpperCase() as Operation["method"],
          path: path
            .replace("{organizationId}", organizationId)
            .replace("{uid}", "A".repeat(43))
            .replace("{version}", "1")
            .replace("{variableName}", "region")
            .replaceAll(/\{\w+\}/g, someId),
          fields,
          required,
          isOptional,
          sample: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sampleOf(name, field)])),
        },
      ];
    }),
  );
}
