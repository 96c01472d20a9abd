import type { FastifyRequest } from "fastify";
import { Refusal } from "../base/refusal.ts";
import type { ApiKeys } from "../identity/api-keys.ts";
import type { VerifyAccessToken } from "../oauth/verify-access-token.ts";
import { createKeyView } from "./key-view.ts";
import type { McpCaller } from "./mcp-caller.ts";

/** Whom an access token speaks for at this server; throws `access_token_invalid` when it does not. */
export type VerifyBearer = (token: string, serverId: string) => Promise<McpCaller>;

export type Authenticate = ReturnType<typeof createAuthenticate>;

type Server = { id: string; scopes: string[]; acceptsApiKeys: boolean; acceptsTokens: boolean };
type Options = { apiKeys: Pick<ApiKeys, "verify">; verifyBearer: VerifyBearer };

/** Who calls an MCP server. Runs before the body is read. A bearer token decides alone: no API key rescues an invalid one. */
export function createAuthenticate({ apiKeys, verifyBearer }: Options) {
  async function authenticateToken(token: string, { id, scopes }: Server): Promise<McpCaller> {
    if (token === "") throw new Refusal("access_token_invalid", "This access token is not valid here.");
    const caller = await verifyBearer(token, id);
    if (caller.scopes.some((scope) => scopes.includes(scope))) return caller;
    throw new Refusal("insufficient_scope", `This needs the scope ${scopes.join(" or ")}.`);
  }

  return async (request: FastifyRequest, server: Server): Promise<McpCaller> => {
    refuseSecretInQuery(request.url, server);
    requireOriginForm(request.headers.origin);
    const token = /^bearer(?:\s+(.*))?$/i.exec(request.headers.authorization?.trim() ?? "");
    if (token) return await authenticateToken(token[1] ?? "", server);
    const key = headerText(request.headers["x-api-key"]);
    if (key === "") throw missing(server);
    if (!server.acceptsApiKeys)
      throw new Refusal("api_key_not_accepted", "This server takes no API keys. Connect with OAuth.");
    const { organizationId, apiKeyId, apiKeyName, ...rules } = await apiKeys.verify(key, "mcp:invoke");
    const view = createKeyView(server.id, rules);
    return {
      organizationId,
      scopes: ["mcp:invoke"],
      apiKey: { id: apiKeyId, name: apiKeyName },
      ...(view ? { view } : {}),
    };
  };
}

/** An access token speaks for the connection that a user approved, which has the default credentials of its organization. */
export function createVerifyBearer(verify: VerifyAccessToken): VerifyBearer {
  return async (token, serverId) => {
    const {
      organizationId,
      scopes,
      connectionId: id,
      userId,
      userName,
      clientId,
      clientName,
      defaultCredentials,
    } = await verify(token, serverId);
    const view = createKeyView(serverId, { toolRules: null, defaultCredentials });
    return {
      organizationId,
      scopes,
      connection: { id, userId, userName, clientId, clientName },
      ...(view ? { view } : {}),
    };
  };
}

const headerText = (value: string | string[] | undefined): string => (typeof value === "string" ? value.trim() : "");

function missing({ acceptsApiKeys, acceptsTokens }: Server): Refusal {
  if (!acceptsApiKeys) return new Refusal("access_token_missing", "Connect with OAuth.");
  return new Refusal(
    "api_key_missing",
    `Send an API key in the X-API-Key header${acceptsTokens ? ", or connect with OAuth" : ""}.`,
  );
}

// Addresses end up in logs and histories, so what is in one is already lost; accepting it would teach people to do it.
function refuseSecretInQuery(url: string, server: Server): void {
  if (!/[?&](?:access_token=|[^=&]*=swy_)/i.test(url)) return;
  const { code } = missing(server);
  throw new Refusal(code, "Keys and tokens belong in headers, never in the address. Replace the one that was sent.");
}

// Any web page may call, because no cookie means anything here; what no browser sends as an origin is not one.
function requireOriginForm(origin: string | undefined): void {
  if (origin === undefined || origin === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]*$/i.test(origin)) return;
  throw new Refusal("origin_refused", "The Origin header does not have the form of an origin.");
}
