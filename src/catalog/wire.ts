import { z } from "zod";

// What the canvas and the credentials page need to know about nodes and accounts.

const jsonSchema = z.record(z.string(), z.unknown()).describe("JSON Schema 2020-12");

const provider = z.object({ id: z.string(), title: z.string() });
const section = z
  .enum(["trigger", "logic", "data", "ai", "apps"])
  .describe("Where people look for it when they add a node.");

export const node = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    synonyms: z.array(z.string()).describe("Other words that people look for it with."),
    summary: z
      .array(z.string())
      .optional()
      .describe("Names of the inputs that tell in a line what a node does; without it the first that are required."),
    section,
    guide: z.string().nullable().describe("What to know before using it, beyond the description."),
    version: z.int(),
    provider,
    hints: z.object({
      readOnly: z.boolean(),
      destructive: z.boolean(),
      idempotent: z.boolean(),
      openWorld: z.boolean(),
    }),
    credentials: z.array(z.string()).describe("Types of the credentials it needs."),
    alsoTakes: z.array(z.string()).describe("Types of the credentials that it takes in place of its own."),
    worksWithoutAccount: z.boolean().describe("Whether it also works without one of them."),
    inputSchema: jsonSchema,
    outputSchema: jsonSchema.describe("One item of what it returns."),
  })
  .meta({ id: "Node" });
export const nodeList = z.object({ data: z.array(node) });
export type NodeEntry = z.infer<typeof node>;

export const credentialType = z
  .object({
    type: z.string(),
    title: z.string(),
    provider,
    takesBaseUrl: z.boolean(),
    canBeTested: z.boolean(),
    variants: z.array(
      z.object({
        kind: z.string(),
        title: z.string(),
        schema: jsonSchema,
        isOAuth2: z.boolean(),
        scopes: z.array(z.string()),
        knownScopes: z
          .array(z.object({ name: z.string(), description: z.string() }))
          .describe("Scopes that are asked for or may be added, in the provider's own words."),
        advice: z.string().optional().describe("What to know at the provider before connecting."),
      }),
    ),
  })
  .meta({ id: "CredentialType" });
export const credentialTypeList = z.object({ data: z.array(credentialType) });
export type CredentialTypeEntry = z.infer<typeof credentialType>;

const poll = z
  .object({
    id: z.string().describe("`event` of a trigger."),
    provider,
    title: z.string(),
    description: z.string(),
    credentials: z.array(z.string()).describe("Types of the credentials that it looks with."),
    worksWithoutAccount: z.boolean().describe("Whether it also works without one of them."),
    everySeconds: z.object({
      least: z.int().describe("The shortest pause between two looks."),
      usual: z.int().describe("The longest one, unless the trigger says otherwise."),
    }),
    parametersSchema: jsonSchema,
  })
  .meta({ id: "Poll" });
export const pollList = z.object({ data: z.array(poll) });
export type PollEntry = z.infer<typeof poll>;

const webhookProvider = z
  .object({
    id: z.string().describe("`provider` of a trigger."),
    title: z.string(),
    credentialType: z.string().nullable().describe("Type of the credential that holds the secret it signs with."),
    canRegister: z.boolean().describe("Whether this server can tell it where to deliver to: `register` of a trigger."),
    needsPlace: z.boolean().describe("Whether that is for one place, such as a repository: `places` of a trigger."),
  })
  .meta({ id: "WebhookProvider" });
export const webhookProviderList = z.object({ data: z.array(webhookProvider) });
export type WebhookProviderEntry = z.infer<typeof webhookProvider>;

const serverTool = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    credentials: z.array(z.string()).describe("Types of the credentials a call needs."),
    alsoTakes: z.array(z.string()).describe("Types of the credentials that it takes in place of its own."),
    worksWithoutAccount: z.boolean().describe("Whether a call may name none of them."),
    inputSchema: jsonSchema.describe("The parameters, without the credentials that go beside them."),
    outputSchema: jsonSchema.describe("What an MCP client is answered."),
    annotations: z.object({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    }),
  })
  .meta({ id: "ServerTool" });
export type ServerTool = z.infer<typeof serverTool>;

export const server = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    url: z.string().describe("Where MCP clients connect."),
    toolCount: z.int(),
    credentialTypes: z.array(z.string()),
    usesOAuthOnly: z.boolean().describe("Takes no API key, because it is about a person's own account."),
    tools: z.array(serverTool),
  })
  .meta({ id: "Server" });
export const serverList = z.object({ data: z.array(server) });
export type ServerEntry = z.infer<typeof server>;

/** Nodes that are no tools. */
export const engineNodeList = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        title: z.string(),
        description: z.string(),
        synonyms: z.array(z.string()).describe("Other words that people look for it with."),
        section,
        version: z.int(),
        inputSchema: z
          .record(z.string(), z.unknown())
          .describe(
            "JSON Schema 2020-12. Fields with `expression: true` are JSONata as they stand; their type is that of the result. Those with `rows` may be an object of that schema instead.",
          ),
        ways: z
          .array(z.string())
          .describe("Names of its ways out before anything is entered; a switch has one more for each rule."),
        per: z.enum(["item", "list"]).describe("Executed for each incoming item, or once for all of them."),
      })
      .meta({ id: "EngineNode" }),
  ),
});
