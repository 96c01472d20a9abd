type Schema = Record<string, unknown>;

type SchemaRow = { path: string; type: string; isRequired: boolean; description: string; details: string[] };

const deepest = 4;

/** The fields of a schema one after the other, those of nested objects with their way from the top. */
export function listSchemaRows(schema: Schema, before = "", depth = 0): SchemaRow[] {
  const properties = asSchema(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = asSchema(value);
    const path = before + name;
    const row = {
      path,
      type: describeType(field),
      isRequired: required.includes(name),
      description: typeof field.description === "string" ? field.description : "",
      details: describeLimits(field),
    };
    return depth >= deepest ? [row] : [row, ...listInner(field, path, depth)];
  });
}

function listInner(field: Schema, path: string, depth: number): SchemaRow[] {
  if (field.type === "array") {
    const entry = asSchema(field.items);
    return entry.properties ? listSchemaRows(entry, `${path}[].`, depth + 1) : [];
  }
  return field.properties ? listSchemaRows(field, `${path}.`, depth + 1) : [];
}

/** The type of a value in words. */
function describeType(schema: Schema): string {
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return "one of";
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (options) return joinWords(options.map((option) => describeType(asSchema(option))));
  if (Array.isArray(schema.type)) return joinWords(schema.type.map((type) => describeType({ ...schema, type })));
  if (schema.type === "array") return schema.items ? `list of ${describeType(asSchema(schema.items))}` : "list";
  if (schema.type === "string")
    return typeof schema.format === "string" ? (formatWords[schema.format] ?? `text (${schema.format})`) : "text";
  return typeWords[String(schema.type)] ?? "anything";
}

const typeWords: Record<string, string> = {
  number: "number",
  integer: "whole number",
  boolean: "yes or no",
  object: "object",
  null: "null",
};
const formatWords: Record<string, string> = {
  "date-time": "date and time",
  date: "date",
  email: "email address",
  uri: "web address",
  uuid: "UUID",
};

const joinWords = (words: string[]): string => [...new Set(words)].join(" or ");

function describeLimits(schema: Schema): string[] {
  const options = Array.isArray(schema.enum) ? [schema.enum.map((option) => JSON.stringify(option)).join(", ")] : [];
  const bounds = [
    [schema.minimum, "at least", ""],
    [schema.maximum, "at most", ""],
    // That a text must not be empty needs no words.
    [schema.minLength === 1 ? undefined : schema.minLength, "at least", " characters"],
    [schema.maxLength, "at most", " characters"],
    [schema.minItems, "at least", " entries"],
    [schema.maxItems, "at most", " entries"],
  ] as const;
  const limits = bounds
    .filter(([bound]) => typeof bound === "number")
    .map(([bound, words, unit]) => `${words} ${Number(bound).toLocaleString("en")}${unit}`);
  return [...options, ...limits, ...("default" in schema ? [`default ${JSON.stringify(schema.default)}`] : [])];
}

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
