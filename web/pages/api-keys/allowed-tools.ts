import { matchesRule } from "../../../src/base/match-rule.ts";
import type { Server, ServerTool } from "../../api/servers.ts";

/** What a key with these rules may call, server by server; null: it has no rules. */
export function findAllowedTools(servers: Server[], rules: string[] | null): { server: Server; tools: ServerTool[] }[] {
  return servers
    .filter(({ usesOAuthOnly }) => !usesOAuthOnly)
    .map((server) => ({ server, tools: server.tools.filter(({ name }) => isAllowed(rules, server.id, name)) }))
    .filter(({ tools }) => tools.length > 0);
}

export const countAllowedTools = (servers: Server[], rules: string[] | null): number =>
  findAllowedTools(servers, rules).reduce((sum, { tools }) => sum + tools.length, 0);

/** How the server wants a rule to be written. */
export const isRule = (text: string): boolean => text.length <= 64 && /^\**[a-z0-9_][a-z0-9_*]*$/.test(text);

function isAllowed(rules: string[] | null, serverId: string, tool: string): boolean {
  return rules === null || rules.some((rule) => matchesRule(rule, serverId) || matchesRule(rule, tool));
}
