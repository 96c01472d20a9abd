import type { Catalog, Node } from "../catalog/catalog.ts";
import { toMcpTool } from "../catalog/mcp-tool.ts";
import { createMcpServer } from "./mcp-server.ts";

/** One MCP server per provider, with its nodes as tools, in the order of the catalogue. */
export function createProviderServers({ providers, nodes }: Catalog, version: string) {
  return providers.map(({ id, title, description, icon, tools, credential }) =>
    createMcpServer<Node>({
      id,
      title,
      description,
      ...instruct(
        description,
        credential?.type,
        tools.every((tool) => tool.worksWithoutAccount),
      ),
      version,
      icon,
      scopes: ["mcp:invoke"],
      acceptsApiKeys: true,
      acceptsTokens: true,
      tools: tools.map((tool) => {
        const node = nodes.get(tool.id) as Node;
        return { ...toMcpTool(node), scope: "mcp:invoke", target: node };
      }),
    }),
  );
}

function instruct(description: string, type: string | undefined, mayBeEmpty: boolean) {
  if (type === undefined) return { instructions: description };
  const credentials = `\`credentials\`: {"${type}": "credential:organization:<uuid>"}, a reference to a connected account, never a secret.`;
  const where = "The user finds references on the credentials page; the platform server lists them with platform_list_credentials.";
  return {
    instructions: `${description} Every tool ${mayBeEmpty ? "takes" : "needs"} ${credentials}${mayBeEmpty ? " Send {} for an address that needs none." : ""} ${where}`,
    instructionsWithDefaults: `${description} Every tool uses an account that was chosen beforehand, unless it is given ${credentials} ${where}`,
  };
}
