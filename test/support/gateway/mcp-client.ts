/** What a client sends with every modern request. */
export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

type Headers = Record<string, string | undefined>;

export type ToolEntry = {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    properties: Record<string, { properties?: Record<string, { pattern: string }>; required?: string[] }>;
    required?: string[];
  };
  outputSchema: Record<string, unknown>;
  annotations: Record<string, unknown>;
};

/** Every field that some result has: a test knows which one it asked for. */
type Result = {
  protocolVersion: string;
  tools: ToolEntry[];
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
  _meta: {
    "switchyard/error": {
      code: string;
      requestId: string;
      errors: { pointer: string; detail: string }[];
      retryAfterSeconds?: number;
    };
  };
};

export type RpcAnswer = {
  status: number;
  headers: globalThis.Headers;
  text: string;
  /** The body, or the last message of a stream. */
  json: { id?: unknown; result?: Result; error?: { code: number; message: string; data?: unknown } };
};

export type McpClient = ReturnType<typeof createMcpClient>;

/** Speaks MCP by hand, so that every byte can be chosen. Undefined headers are left out. */
export function createMcpClient(gatewayUrl: string, credentials: Headers) {
  async function post(
    serverId: string,
    body: unknown,
    headers: Headers = {},
    signal?: AbortSignal,
  ): Promise<RpcAnswer> {
    const given = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...credentials,
      ...headers,
    };
    const sent = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const isText = typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${gatewayUrl}/${serverId}/mcp`, {
      method: "POST",
      headers: sent,
      body: isText ? (body as string) : JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  return {
    post,
    legacy: (serverId: string, method: string, params: unknown = {}, headers: Headers = {}) =>
      post(serverId, { jsonrpc: "2.0", id: 1, method, params }, { "mcp-protocol-version": "2025-11-25", ...headers }),
    modern: (
      serverId: string,
      method: string,
      params: { name?: unknown; _meta?: object; [key: string]: unknown } = {},
      headers: Headers = {},
    ) =>
      post(
        serverId,
        { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { ...modernMeta, ...params._meta } } },
        { ...modernHeaders(method, params.name), ...headers },
      ),
  };
}

export const modernHeaders = (method: string, name?: unknown): Headers => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  "mcp-name": typeof name === "string" ? name : undefined,
});

function parse(text: string): RpcAnswer["json"] {
  const events = text.match(/^data: .*$/gm);
  const last = events ? events.at(-1)?.slice("data: ".length) : text;
  try {
    return JSON.parse(last ?? "") as RpcAnswer["json"];
  } catch {
    return {};
  }
}
