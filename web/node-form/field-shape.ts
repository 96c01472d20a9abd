/** JSON Schema 2020-12 as the descriptors of the server have it. */
export type Schema = Record<string, unknown>;

export type TextShape = {
  kind: "text";
  /** Several lines are usual. */
  isLong: boolean;
  isSecret: boolean;
  format: string | undefined;
  example: string | undefined;
  /** What of the account it can be chosen from. */
  offer: Offer | undefined;
};
/** A list of an account, and the fields of the form that it depends on. */
export type Offer = { list: string; needs: readonly string[] };
/** `title`: what people read where the value says nothing to them, such as an id. */
export type Choice = { value: unknown; title?: string };

export type FieldShape =
  | TextShape
  | { kind: "number"; isInteger: boolean; minimum: number | undefined; maximum: number | undefined }
  | { kind: "boolean" }
  | { kind: "choice"; options: Choice[] }
  /** One of two values, on unless it is turned off. */
  | { kind: "toggle"; on: unknown; off: unknown }
  /** Stored in milliseconds. */
  | { kind: "duration" }
  | { kind: "list"; entry: Schema }
  | { kind: "object"; schema: Schema }
  | { kind: "record"; entry: Schema }
  | { kind: "union"; options: Schema[] }
  /** JSONata as it stands, without braces. */
  | { kind: "expression" }
  /** Rows of field, operator and value, or such an expression. */
  | { kind: "condition" }
  /** Any JSON, with a choice of the usual types. */
  | { kind: "free" }
  /** Structures for which rows of fields would be harder to read than JSON. */
  | { kind: "json"; type: string | undefined };

export type FormField = { name: string; schema: Schema; isRequired: boolean };

/** Which control a schema is filled in with. */
export function describeShape(schema: Schema): FieldShape {
  if (schema.expression === true) return { kind: isSchema(schema.rows) ? "condition" : "expression" };
  if (schema.unit === "milliseconds") return { kind: "duration" };
  if (isSchema(schema.toggle)) return { kind: "toggle", on: schema.toggle.on, off: schema.toggle.off };
  const choices = choicesOf(schema);
  if (choices) return { kind: "choice", options: choices };
  const options = optionsOf(schema);
  if (!options) return describeType(schema);
  if (options.length === 1) return describeShape({ ...schemaWithoutUnion(schema), ...options[0] });
  const fixed = options.map(choicesOf);
  return fixed.every((choice) => choice !== undefined)
    ? { kind: "choice", options: fixed.flat() }
    : { kind: "union", options };
}

function choicesOf({ const: only, enum: several, title }: Schema): Choice[] | undefined {
  if (only !== undefined) return [typeof title === "string" ? { value: only, title } : { value: only }];
  return Array.isArray(several)
    ? several.filter((value) => value !== null).map((value: unknown) => ({ value }))
    : undefined;
}

function describeType(schema: Schema): FieldShape {
  switch (schema.type) {
    case "string":
      return describeText(schema);
    case "number":
    case "integer":
      return {
        kind: "number",
        isInteger: schema.type === "integer",
        minimum: numberOr(schema.minimum ?? schema.exclusiveMinimum),
        maximum: numberOr(schema.maximum ?? schema.exclusiveMaximum),
      };
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return describeList(schema);
    case "object":
      return describeObject(schema);
    default:
      return { kind: "free" };
  }
}

const longNames =
  /^(text|body|content|html|markdown|message|prompt|system|instructions?|description|sql|caption|context)$/;

function describeText(schema: Schema): FieldShape {
  const isSecret = schema.writeOnly === true || schema.format === "password";
  return {
    kind: "text",
    isSecret,
    isLong: !isSecret && (longNames.test(String(schema.name ?? "")) || Number(schema.maxLength ?? 0) >= 1000),
    format: typeof schema.format === "string" ? schema.format : undefined,
    example: Array.isArray(schema.examples) ? String(schema.examples[0]) : undefined,
    offer: describeOffer(schema),
  };
}

function describeOffer({ choices, choicesNeed }: Schema): Offer | undefined {
  if (typeof choices !== "string") return undefined;
  return { list: choices, needs: Array.isArray(choicesNeed) ? choicesNeed.map(String) : [] };
}

function describeList(schema: Schema): FieldShape {
  const entry = isSchema(schema.items) ? schema.items : {};
  const { kind } = describeShape(entry);
  return kind === "list" || kind === "json" || kind === "union"
    ? { kind: "json", type: "array" }
    : { kind: "list", entry };
}

function describeObject(schema: Schema): FieldShape {
  const { properties, additionalProperties } = schema;
  if (isSchema(properties) && Object.keys(properties).length > 0) return { kind: "object", schema };
  if (additionalProperties === false) return { kind: "object", schema };
  const entry = isSchema(additionalProperties) ? additionalProperties : {};
  const { kind } = describeShape(entry);
  const hasRows = kind !== "list" && kind !== "json" && kind !== "object" && kind !== "record" && kind !== "union";
  return hasRows ? { kind: "record", entry } : { kind: "json", type: "object" };
}

/** The alternatives of a union without null, which stands for an empty field. */
function optionsOf(schema: Schema): Schema[] | undefined {
  const listed = schema.anyOf ?? schema.oneOf;
  const types = Array.isArray(schema.type) ? schema.type.map((type: unknown) => ({ type })) : undefined;
  const options = Array.isArray(listed) ? listed.filter(isSchema) : types;
  return options?.filter((option) => option.type !== "null" && option.const !== null);
}

function schemaWithoutUnion({ anyOf: _anyOf, oneOf: _oneOf, type: _type, ...rest }: Schema): Schema {
  return rest;
}

/** The fields of an object in the order of its schema. The name is part of each schema, for labels and sizes. */
export function fieldsOf(schema: Schema): FormField[] {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: { ...(isSchema(field) ? field : {}), name },
    isRequired: required.includes(name),
  }));
}

const mostOptionalShown = 4;

/** Fields to show at once, and those for "More fields": optional ones, where there are many. */
export function arrangeFields(
  schema: Schema,
  fields: FormField[] = fieldsOf(schema),
): { shown: FormField[]; more: FormField[] } {
  const optional = fields.filter(({ isRequired }) => !isRequired);
  if (optional.length <= mostOptionalShown) return { shown: fields, more: [] };
  // What stands before a required field belongs to it, and a form must not look as if it had no fields.
  const last = fields.findLastIndex(({ isRequired }) => isRequired);
  const folded = fields.slice(last === -1 ? mostOptionalShown : last + 1);
  return { shown: fields.filter((field) => !folded.includes(field)), more: folded };
}

/** The schema's title, or its name in words: smtpHost → Smtp host. */
export function labelOf(schema: Schema, name: string): string {
  if (typeof schema.title === "string") return schema.title;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether a value could be one of this schema; only as deep as telling alternatives apart needs. */
export function fits(schema: Schema, value: unknown): boolean {
  const shape = describeShape(schema);
  if (shape.kind === "choice") return shape.options.some((option) => option.value === value);
  if (shape.kind === "object")
    return isSchema(value) && fieldsOf(shape.schema).every((field) => fitsField(field, value));
  return (
    shape.kind === "free" || typeOf(value) === schema.type || (schema.type === "integer" && Number.isInteger(value))
  );
}

function fitsField({ name, schema, isRequired }: FormField, value: Schema): boolean {
  return Object.hasOwn(value, name) ? !("const" in schema) || schema.const === value[name] : !isRequired;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOr(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
