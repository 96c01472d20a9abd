import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createCatalog } from "../src/catalog/catalog.ts";
import { loadProviders } from "../src/catalog/load-providers.ts";
import { toAnnotations } from "../src/catalog/mcp-tool.ts";
import { callTool } from "../test/support/gateway/call-tool.ts";

const { providers } = createCatalog(await loadProviders());
const actions = providers.find(({ id }) => id === "system")?.actions ?? [];

/** The tools of our server `system` on the official SDK, without authentication or database: what the benches compare with. */
export function createSdkTools(): McpServer {
  const server = new McpServer({ name: "system", version: "1.0.0" });
  for (const action of actions) {
    const { title, description, input: inputSchema } = action;
    const outputSchema = z.object({ items: z.array(action.output) });
    server.registerTool(
      action.id,
      { title, description, inputSchema, outputSchema, annotations: toAnnotations(title, action.hints) },
      async (input) => {
        const items = await callTool(action, { input });
        return {
          content: items.map((item) => ({ type: "text" as const, text: JSON.stringify(item) })),
          structuredContent: { items },
        };
      },
    );
  }
  return server;
}
