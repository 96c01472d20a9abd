import type { Catalog } from "../catalog/catalog.ts";
import type { JsonSchema } from "../catalog/json-schema.ts";
import type { ServerEntry } from "../catalog/wire.ts";
import { type McpServer, type McpTool, withCut } from "./mcp-server.ts";
import { createPlatformServer, type PlatformParts } from "./platform-server.ts";
import { createProviderServers } from "./provider-servers.ts";

type Options = { catalog: Catalog; platform: PlatformParts; version: string; serverUrlTemplate: string };

/** The MCP servers as the pages show them: parameters and credentials of a tool are apart, because a person fills in one and chooses the other. */
export function listServers({ catalog, platform, version, serverUrlTemplate }: Options): ServerEntry[] {
  const urlOf = (serverId: string): string => serverUrlTemplate.replaceAll("{serverId}", serverId);
  return [
    ...createProviderServers(catalog, version).map((server) =>
      describeServer(server, { url: urlOf(server.id), inputOf: ({ target }) => target.inputSchema }),
    ),
    describeServer(createPlatformServer(platform, version), {
      url: urlOf("platform"),
      inputOf: ({ inputSchema }) => inputSchema,
    }),
  ];
}

type Showing<Target> = { url: string; inputOf: (tool: McpTool<Target>) => JsonSchema };

function describeServer<Target>(server: McpServer<Target>, { url, inputOf }: Showing<Target>): ServerEntry {
  const { id, title, description, tools, acceptsApiKeys } = server;
  return {
    id,
    title,
    description,
    url,
    toolCount: tools.length,
    credentialTypes: [...new Set(tools.flatMap(({ credentials }) => credentials))],
    usesOAuthOnly: !acceptsApiKeys,
    tools: tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      credentials: tool.credentials,
      alsoTakes: tool.alsoTakes ?? [],
      worksWithoutAccount: tool.credentials.length === 0 || tool.worksWithoutAccount === true,
      inputSchema: inputOf(tool),
      outputSchema: withCut(tool.outputSchema ?? {}),
      annotations: tool.annotations,
    })),
  };
}
