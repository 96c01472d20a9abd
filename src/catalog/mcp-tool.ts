import type { Hints } from "../contract/action.ts";
import type { CatalogAction } from "./catalog.ts";
import type { JsonSchema } from "./json-schema.ts";

const referencePattern = "^credential:organization:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/** An action as a tool of its provider's MCP server: its own schemas, plus the credentials every caller must name. */
export function toMcpTool(action: CatalogAction) {
  const { alsoTakes, outputSchema } = action;
  const inputSchema = withoutFormHints(action.inputSchema);
  const credentials = action.credential ? [action.credential.type] : [];
  return {
    name: action.id,
    title: action.title,
    description: action.description,
    inputSchema:
      credentials.length > 0
        ? withCredentials(inputSchema, { credentials, alsoTakes }, action.worksWithoutAccount)
        : inputSchema,
    outputSchema: {
      type: "object",
      properties: {
        items: { type: "array", ...(action.findBytes ? { description: handles } : {}), items: outputSchema },
      },
      required: ["items"],
      additionalProperties: false,
    },
    annotations: toAnnotations(action.title, action.hints),
    credentials,
    alsoTakes: [...alsoTakes],
    worksWithoutAccount: action.worksWithoutAccount,
  };
}

/** Which list of an account a field offers, what a new node starts with and how a field looks is for our own forms: clients cannot ask for it. */
function withoutFormHints(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const kept = properties.map(([name, field]) => [name, withoutHints(field)] as const);
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Of a field, and of the entries where it is a list. */
function withoutHints(schema: JsonSchema): JsonSchema {
  const { choices: _, choicesNeed: __, startsAs: ___, toggle: ____, items, ...field } = schema;
  return typeof items === "object" && items !== null ? { ...field, items: withoutHints(items as JsonSchema) } : field;
}

// The schemas of items are also those of nodes, which have the handle of a file of their run.
const handles =
  "Where a field has bytes as base64, it may have a handle instead, `result:{record}#/{item}/{field}`: pictures and sound are content blocks, and other bytes are left out of a long answer.";

export const toAnnotations = (title: string, hints: Hints) => ({
  title,
  readOnlyHint: hints.readOnly,
  destructiveHint: hints.destructive,
  idempotentHint: hints.idempotent,
  openWorldHint: hints.openWorld,
});

type Taken = { credentials: string[]; alsoTakes: readonly string[] };

/** They are a required parameter everywhere, so that nobody calls without an account by mistake; where it works without, `{}` says so. */
function withCredentials(
  schema: JsonSchema,
  { credentials: types, alsoTakes }: Taken,
  mayBeEmpty: boolean,
): JsonSchema {
  const reference = (type: string) => ({
    type: "string",
    pattern: referencePattern,
    description: `Reference to a credential of the type ${type}; never the secret itself.`,
  });
  const other = { type: "string", pattern: referencePattern };
  const empty = mayBeEmpty ? "; {} for an address that needs no account" : "";
  const oneOf =
    alsoTakes.length > 0 ? " Name one: an account of a service goes only to that service's own addresses." : "";
  const credentials = {
    type: "object",
    description: `Credential references by type${empty}.${oneOf}`,
    properties: {
      ...Object.fromEntries(types.map((type) => [type, reference(type)])),
      ...Object.fromEntries(alsoTakes.map((type) => [type, other])),
    },
    ...(mayBeEmpty ? {} : { required: types }),
    additionalProperties: false,
  };
  return {
    ...schema,
    properties: { ...(schema.properties as object), credentials },
    required: [...((schema.required as string[] | undefined) ?? []), "credentials"],
  };
}
