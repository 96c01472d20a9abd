import type { Catalog, CatalogAction } from "../catalog/catalog.ts";
import { toMcpTool } from "../catalog/mcp-tool.ts";
import type { Action } from "../contract/action.ts";
import { createMcpServer } from "./mcp-server.ts";

/** One MCP server per provider, with its actions as tools, in the order of the catalogue. */
export function createProviderServers({ providers, actions: all }: Catalog, version: string) {
  return providers.map(({ id, title, description, icon, actions, credential }) =>
    createMcpServer<CatalogAction>({
      id,
      title,
      description,
      ...instruct(
        describeWithGuides(description, actions),
        credential?.type,
        actions.every((action) => action.worksWithoutAccount),
      ),
      version,
      icon,
      scopes: ["mcp:invoke"],
      acceptsApiKeys: true,
      acceptsTokens: true,
      tools: actions.map(({ id: name }) => {
        const target = all.get(name) as CatalogAction;
        return { ...toMcpTool(target), scope: "mcp:invoke", target };
      }),
    }),
  );
}

/** What clients show to their models once, before any call. */
const describeWithGuides = (description: string, actions: readonly Action[]): string =>
  [description, ...actions.flatMap(({ id, guide }) => (guide === undefined ? [] : [`${id}: ${guide}`]))].join(" ");

function instruct(description: string, type: string | undefined, mayBeEmpty: boolean) {
  if (type === undefined) return { instructions: description };
  const credentials = `\`credentials\`: {"${type}": "credential:organization:<uuid>"}, a reference to a connected account, never a secret.`;
  const where =
    "The user finds references on the credentials page; the platform server lists them with platform_list_credentials.";
  return {
    instructions: `${description} Every tool ${mayBeEmpty ? "takes" : "needs"} ${credentials}${mayBeEmpty ? " Send {} for an address that needs none." : ""} ${where}`,
    instructionsWithDefaults: `${description} Every tool uses an account that was chosen beforehand, unless it is given ${credentials} ${where}`,
  };
}
