import type { FastifyRequest } from "fastify";
import type { Challenges } from "./challenge.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What authentication has to know about the MCP server of a route. */
    mcp?: { id: string; scopes: string[]; acceptsApiKeys: boolean; acceptsTokens: boolean; challenges: Challenges };
  }
  interface FastifyRequest {
    /** Set once an MCP client is authenticated. */
    mcpCaller: McpCaller | undefined;
  }
}

/** What a caller's own rules leave of the servers. Without one everything is there, and every credential must be named. */
export type ToolView = {
  allows: (toolName: string) => boolean;
  /** Credential type → the reference that is meant when the caller names none. */
  defaults: ReadonlyMap<string, string>;
};

/** Who calls an MCP server, and for which organization. */
export type McpCaller = {
  organizationId: string;
  scopes: readonly string[];
  view?: ToolView;
} & (
  | { apiKey: { id: string; name: string } }
  /** An OAuth connection that a user approved for this server. */
  | { connection: { id: string; userId: string; userName: string; clientId: string; clientName: string } }
);

/** The same for all requests with one key or one connection: what is counted and what may cancel. */
export const callerKey = (caller: McpCaller): string =>
  "apiKey" in caller ? `key ${caller.apiKey.id}` : `connection ${caller.connection.id}`;

export function callerOf({ mcpCaller }: FastifyRequest): McpCaller {
  if (mcpCaller === undefined) throw new Error("A route of the MCP servers was reached without authentication.");
  return mcpCaller;
}
