export type Challenges = { signIn: string; invalidToken: string; insufficientScope: (needed: string) => string };

type Options = { resourceUrl: string; serverId: string; scopes: string[]; acceptsTokens: boolean };

const sendKey = 'ApiKey header="X-API-Key"';

/** The WWW-Authenticate headers of one MCP server, from which a client finds the way to sign in, where there is one. */
export function createChallenges({ resourceUrl, serverId, scopes, acceptsTokens }: Options): Challenges {
  if (!acceptsTokens) return { signIn: sendKey, invalidToken: sendKey, insufficientScope: () => sendKey };
  const metadata = `resource_metadata="${resourceUrl}/.well-known/oauth-protected-resource/${serverId}/mcp"`;
  const scope = `scope="${scopes.join(" ")}"`;
  return {
    signIn: `Bearer ${metadata}, ${scope}`,
    invalidToken: `Bearer error="invalid_token", ${metadata}, ${scope}`,
    insufficientScope: (needed: string) => `Bearer error="insufficient_scope", scope="${needed}", ${metadata}`,
  };
}
