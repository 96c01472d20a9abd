/** The WWW-Authenticate headers of one MCP server, from which a client finds the way to sign in. */
export function createChallenges({ resourceUrl, serverId, scopes }: { resourceUrl: string; serverId: string; scopes: string[] }) {
  const metadata = `resource_metadata="${resourceUrl}/.well-known/oauth-protected-resource/${serverId}/mcp"`;
  const scope = `scope="${scopes.join(" ")}"`;
  return {
    signIn: `Bearer ${metadata}, ${scope}`,
    invalidToken: `Bearer error="invalid_token", ${metadata}, ${scope}`,
    insufficientScope: (needed: string) => `Bearer error="insufficient_scope", scope="${needed}", ${metadata}`,
  };
}

export type Challenges = ReturnType<typeof createChallenges>;
