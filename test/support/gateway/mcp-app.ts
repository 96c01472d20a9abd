import { Refusal } from "../../../src/base/refusal.ts";
import type { VerifyBearer } from "../../../src/gateway/authenticate.ts";
import type { ToolView } from "../../../src/gateway/mcp-caller.ts";
import { signUpOwner } from "../people.ts";
import { startTestApp } from "../test-app.ts";
import { createMcpClient } from "./mcp-client.ts";

type Options = NonNullable<Parameters<typeof startTestApp>[0]>;
type Token = { serverId: string; scopes: string[]; organizationId?: string; view?: ToolView };

export type McpApp = Awaited<ReturnType<typeof startMcpApp>>;

/** The application with a person, a key for the MCP servers, and access tokens that a test hands out itself. */
export async function startMcpApp(options: Options = {}) {
  const tokens = new Map<string, Token>();
  const verifyBearer: VerifyBearer = async (text, serverId) => {
    const token = tokens.get(text);
    if (token?.serverId !== serverId) throw new Refusal("access_token_invalid", "This access token is not valid here.");
    const { scopes, organizationId = owner.organizationId, view } = token;
    const connection = { id: text, userId: owner.userId, userName: "Ann", clientId: "test", clientName: "Test client" };
    return { organizationId, scopes, ...(view ? { view } : {}), connection };
  };
  const app = await startTestApp({ ...options, gateway: { verifyBearer, ...options.gateway } });
  const owner = await signUpOwner(app, "Ann");
  const createKey = async (
    scopes: ("mcp:invoke" | "workflows:trigger")[] = ["mcp:invoke"],
    organizationId = owner.organizationId,
  ) => await app.parts.identity.apiKeys.create(organizationId, { name: "test", scopes, createdBy: null });
  const { key, id: keyId } = await createKey();
  return {
    app,
    owner,
    key,
    keyId,
    createKey,
    client: createMcpClient(app.gatewayUrl, { "x-api-key": key }),
    /** A client with an access token for one server. */
    connect(serverId: string, scopes: string[], others: Pick<Token, "organizationId" | "view"> = {}) {
      const text = `token-${tokens.size}`;
      tokens.set(text, { serverId, scopes, ...others });
      return createMcpClient(app.gatewayUrl, { authorization: `Bearer ${text}` });
    },
    stop: () => app.stop(),
  };
}
