import type { Server, ServerTool } from "../../api/servers.ts";

/** Servers that have every word of the search in their own texts, with all tools, or else those of their tools that have. */
export function searchServers(
  servers: Server[],
  search: string,
): { server: Server; tools: ServerTool[]; byTool: boolean }[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: string[]) => {
    const text = texts.join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return servers
    .map((server) => {
      const { id, title, description } = server;
      if (fits(id, title, description)) return { server, tools: server.tools, byTool: false };
      const tools = server.tools.filter((tool) => fits(id, title, tool.name, tool.title, tool.description));
      return { server, tools, byTool: true };
    })
    .filter(({ tools, byTool }) => !byTool || tools.length > 0);
}
