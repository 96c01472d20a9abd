import type { JsonSchema } from "../catalog/json-schema.ts";
import type { ToolView } from "./mcp-caller.ts";
import { type LegacyRevision, legacyRevisions, modernRevision } from "./mcp-era.ts";

/** A tool as MCP shows it. `target` is what runs when it is called; the protocol core never looks inside. */
export type McpTool<Target> = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  /** Types of the credentials a call needs. */
  credentials: string[];
  /** Types of those that it takes in place of its own. */
  alsoTakes?: string[];
  /** Whether a call may name none of them. */
  worksWithoutAccount?: boolean;
  /** What a caller must have been granted to call it. */
  scope: string;
  target: Target;
};

type Description<Target> = {
  id: string;
  title: string;
  description: string;
  instructions: string;
  /** What is true instead for a caller with a default for every credential. */
  instructionsWithDefaults?: string;
  version: string;
  /** An SVG image. */
  icon: string;
  /** Everything a client may be granted here. */
  scopes: string[];
  acceptsApiKeys: boolean;
  /** Whether clients can connect to it with OAuth. */
  acceptsTokens: boolean;
  /** Whether every caller sees the same, which caches may then keep for all. */
  isShared?: boolean;
  tools: McpTool<Target>[];
};

export type McpServer<Target> = ReturnType<typeof createMcpServer<Target>>;

/** Clients may keep lists this long; they only change with a new release. */
const cacheMs = 300_000;
const listChanged = { tools: { listChanged: false } };

/** Everything a server says about itself, as JSON text, made once: a request only joins texts. */
export function createMcpServer<Target>(description: Description<Target>) {
  const { id, title, instructions, instructionsWithDefaults, version, isShared = true, tools } = description;
  const serverInfo = { name: id, title, version };
  const modern = {
    resultType: "complete",
    ttlMs: cacheMs,
    cacheScope: isShared ? "public" : "private",
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  };
  const list = tools.map(toWire);
  const modernTail = JSON.stringify({ ...modern, cacheScope: "private" }).slice(1);
  const introduce = (words: string, cacheScope: "public" | "private") => {
    const about = { capabilities: listChanged, instructions: words };
    const initialize = (protocolVersion: LegacyRevision) => toAsciiJson({ protocolVersion, serverInfo, ...about });
    return {
      discovery: toAsciiJson({ supportedVersions: [modernRevision], ...about, ...modern, cacheScope }),
      initialization: new Map<string, string>(legacyRevisions.map((revision) => [revision, initialize(revision)])),
    };
  };
  const introduction = introduce(instructions, isShared ? "public" : "private");
  const introductionWithDefaults = introduce(instructionsWithDefaults ?? instructions, "private");
  const hasAllDefaults = (defaults: ToolView["defaults"]) =>
    tools.every(({ credentials }) => credentials.every((type) => defaults.has(type)));
  return {
    ...description,
    toolsByName: new Map(tools.map((tool) => [tool.name, tool])),
    serverInfo: JSON.stringify(serverInfo),
    toolList: { legacy: toAsciiJson({ tools: list }), modern: toAsciiJson({ tools: list, ...modern }) },
    /** The list of a caller with rules of their own, which no cache may show to others. */
    toolListFor({ allows, defaults }: ToolView): { legacy: string; modern: string } {
      const allowed = tools.filter(({ name }) => allows(name)).map((tool) => toWire(withDefaults(tool, defaults)));
      const texts = `{"tools":${JSON.stringify(allowed)}`;
      return { legacy: `${texts}}`, modern: `${texts},${modernTail}` };
    },
    /** What the server says when a caller connects. */
    introductionFor: (view: ToolView | undefined) =>
      view && instructionsWithDefaults !== undefined && hasAllDefaults(view.defaults)
        ? introductionWithDefaults
        : introduction,
  };
}

/** A text with a single character beyond Latin-1 takes five times as long to write out, and these are written for every client. */
const toAsciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A caller may leave out `credentials` where every one of them has a default, and is told which that is. */
function withDefaults<Target>(tool: McpTool<Target>, defaults: ToolView["defaults"]): McpTool<Target> {
  if (tool.credentials.length === 0 || !tool.credentials.every((type) => defaults.has(type))) return tool;
  const { required, ...schema } = tool.inputSchema;
  const properties = schema.properties as { credentials: JsonSchema };
  const usual = Object.fromEntries(tool.credentials.map((type) => [type, defaults.get(type)]));
  return {
    ...tool,
    inputSchema: {
      ...schema,
      properties: { ...properties, credentials: { ...properties.credentials, default: usual } },
      required: (required as string[]).filter((name) => name !== "credentials"),
    },
  };
}

/** Whoever reads only what is structured must also learn that something is missing. */
export const withCut = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...(schema.properties as object), cut },
});

const cut = {
  type: "string",
  description: "Only when something of the answer is missing: how much, and what the history has of it.",
};

const toWire = <Target>({ name, title, description, inputSchema, outputSchema, annotations }: McpTool<Target>) => ({
  name,
  title,
  description,
  inputSchema,
  ...(outputSchema ? { outputSchema: withCut(outputSchema) } : {}),
  annotations,
});
