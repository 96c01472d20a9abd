import type { Catalog } from "../catalog/catalog.ts";
import type { Role } from "../identity/wire.ts";
import type { OAuthScope } from "./wire.ts";

/** An MCP server as OAuth sees it: something a token is made for. */
export type ResourceServer = {
  id: string;
  title: string;
  scopes: readonly OAuthScope[];
  /** Of the account its tools need; null when they need none. */
  credentialType: string | null;
};

export type Resources = ReturnType<typeof createResources>;

/** The MCP servers: one for each provider, and the one about the user's own account. */
export const resourceServersOf = ({ providers }: Pick<Catalog, "providers">): ResourceServer[] => [
  ...providers.map(
    ({ id, title, credential }): ResourceServer => ({
      id,
      title,
      scopes: ["mcp:invoke"],
      credentialType: credential?.type ?? null,
    }),
  ),
  { id: "platform", title: "Switchyard", scopes: ["platform:read", "platform:write"], credentialType: null },
];

/** Which address stands for which server. */
export function createResources({ resourceUrl, servers }: { resourceUrl: string; servers: ResourceServer[] }) {
  const urlOf = (serverId: string): string => `${resourceUrl}/${serverId}/mcp`;
  const byUrl = new Map(servers.map((server) => [normalForm(urlOf(server.id)), server]));
  const byId = new Map(servers.map((server) => [server.id, server]));
  const serverAt = (resource: string): ResourceServer | undefined => byUrl.get(normalForm(resource));
  return {
    servers,
    urlOf,
    serverAt,
    server: (serverId: string): ResourceServer | undefined => byId.get(serverId),
    /** The one way an address is written here: clients add slashes and capital letters. An unknown address stays as it is. */
    canonical(resource: string): string {
      const server = serverAt(resource);
      return server ? urlOf(server.id) : resource;
    },
  };
}

function normalForm(url: string): string {
  const parsed = URL.parse(url);
  // Also an empty query or fragment, which the parsed form no longer shows.
  if (parsed?.username !== "" || parsed.password !== "" || /[?#]/.test(url)) return url;
  return parsed.href.replace(/\/$/, "");
}

/** What of the scopes asked for a server can grant; asking for nothing of it means everything, because many clients send none or a wrong one. */
export function grantableScopes({ scopes }: ResourceServer, asked: string | undefined): readonly OAuthScope[] {
  const wanted = new Set((asked ?? "").split(/\s+/));
  const known = scopes.filter((scope) => wanted.has(scope));
  return known.length > 0 ? known : scopes;
}

/** What a member may let a client do: viewers only read. Asked on every request, so that a lower role counts at once. */
export const allowedByRole = (role: Role, scopes: readonly OAuthScope[]): OAuthScope[] =>
  scopes.filter((scope) => role !== "viewer" || scope === "platform:read");

export const scopeDescriptions: Record<OAuthScope, string> = {
  "mcp:invoke": "Call the tools of this server with the credentials of the organization.",
  "platform:read": "Read workflows, triggers, runs, tool calls and the names of credentials.",
  "platform:write": "Turn triggers on and off.",
};
