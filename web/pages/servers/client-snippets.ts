// How each client is told about a server. The formats are those of the clients' own documentation.

export const clients = [
  { id: "claude-code", title: "Claude Code" },
  { id: "claude-desktop", title: "Claude Desktop" },
  { id: "cursor", title: "Cursor" },
  { id: "vscode", title: "VS Code" },
  { id: "codex", title: "Codex" },
  { id: "json", title: "Plain JSON" },
] as const;

export type ClientId = (typeof clients)[number]["id"];

/** `key` is null where the client signs in with OAuth. */
export type Target = { id: string; url: string; key: string | null };

export type Snippet = {
  /** Where the text goes: a terminal or a file. */
  place: string;
  text: string;
  /** What to do afterwards. */
  afterwards: string;
};

export const keyPlaceholder = "YOUR_API_KEY";

export function writeSnippet(client: ClientId, target: Target): Snippet {
  return writers[client](target);
}

const writers: Record<ClientId, (target: Target) => Snippet> = {
  "claude-code": ({ id, url, key }) => ({
    place: "Run in a terminal",
    text: `claude mcp add --transport http ${id} ${url}${key === null ? "" : ` --header "X-API-Key: ${key}"`}`,
    afterwards:
      key === null ? "Then enter /mcp in Claude Code and sign in." : "Then enter /mcp in Claude Code to see the tools.",
  }),
  "claude-desktop": ({ id, url, key }) => ({
    place: "claude_desktop_config.json (Settings → Developer → Edit Config)",
    text: toJson({ mcpServers: { [id]: writeRemote(url, key) } }),
    afterwards: "It needs Node.js on your computer. Restart Claude Desktop afterwards.",
  }),
  cursor: ({ id, url, key }) => ({
    place: ".cursor/mcp.json in a project, or ~/.cursor/mcp.json for all",
    text: toJson({ mcpServers: { [id]: { url, ...writeHeaders(key) } } }),
    afterwards:
      key === null
        ? "Then open the MCP settings of Cursor and sign in."
        : "Then turn the server on in the MCP settings of Cursor.",
  }),
  vscode: ({ id, url, key }) => ({
    place: ".vscode/mcp.json in a project",
    text: toJson({ servers: { [id]: { type: "http", url, ...writeHeaders(key) } } }),
    afterwards: key === null ? "Then press Start above the entry and sign in." : "Then press Start above the entry.",
  }),
  codex: ({ id, url, key }) => ({
    place: "~/.codex/config.toml",
    text: [
      `[mcp_servers.${id}]`,
      `url = "${url}"`,
      ...(key === null ? [] : [`http_headers = { "X-API-Key" = "${key}" }`]),
    ].join("\n"),
    afterwards: key === null ? `Then run codex mcp login ${id}` : "Then enter /mcp in Codex to see the tools.",
  }),
  json: ({ id, url, key }) => ({
    place: "The form that most other clients read",
    text: toJson({ mcpServers: { [id]: { type: "http", url, ...writeHeaders(key) } } }),
    afterwards:
      key === null ? "The client opens a browser to sign in." : "Any client that can send a header works this way.",
  }),
};

const writeHeaders = (key: string | null) => (key === null ? {} : { headers: { "X-API-Key": key } });

/** A program that speaks to the server on behalf of clients that only start programs. */
function writeRemote(url: string, key: string | null) {
  // Without a space after the colon and with the key in the environment: some systems split arguments at spaces.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote itself puts the variable in.
  const header = key === null ? [] : ["--header", "X-API-Key:${SWITCHYARD_KEY}"];
  const { protocol, hostname } = new URL(url);
  const open = protocol === "http:" && hostname !== "localhost" ? ["--allow-http"] : [];
  return {
    command: "npx",
    args: ["-y", "mcp-remote", url, ...open, ...header],
    ...(key === null ? {} : { env: { SWITCHYARD_KEY: key } }),
  };
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** A first call without any client. */
export function writeCurl(url: string, key: string, request: { method: string; params?: object }): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...request });
  return [
    `curl -s ${url} \\`,
    `  -H "X-API-Key: ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join("\n");
}

/** The call that the guides offer: it needs no account and changes nothing. */
export const firstCall = {
  serverId: "system",
  method: "tools/call",
  params: { name: "system_date_time", arguments: {} },
};
