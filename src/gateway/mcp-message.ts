import { endSentence } from "../base/end-sentence.ts";
import type { RefusalCode } from "../base/refusal.ts";

/** JSON-RPC as MCP uses it: ids are texts or whole numbers, parameters are objects. */
export type RequestId = string | number;
export type Parameters = Record<string, unknown>;
export type RpcRequest = { kind: "request"; id: RequestId; method: string; params: Parameters };
export type RpcNotification = { kind: "notification"; method: string; params: Parameters };
type Message = RpcRequest | RpcNotification | { kind: "response" } | { kind: "invalid"; id: RequestId | null };

/** What the core answers; the route adds what HTTP needs. Without a body there is nothing to say. */
export type Answer = { status: number; body?: string; type?: "text/event-stream"; headers?: Record<string, string> };

export type RpcError = {
  status: number;
  code: number;
  /** The product's own word for it, as in a problem document: a number of JSON-RPC stands for many things. */
  reason: RefusalCode;
  message: string;
  /** What the protocol wants to be told besides. */
  data?: Record<string, unknown>;
  headers?: Record<string, string>;
};

export const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
} as const;

export function readMessage(value: unknown): Message {
  if (!isObject(value)) return { kind: "invalid", id: null };
  const { jsonrpc, id, method, params = {} } = value;
  const knownId = isRequestId(id) ? id : null;
  const isResponse = method === undefined && ("result" in value || "error" in value);
  if (jsonrpc !== "2.0" || !isObject(params)) return { kind: "invalid", id: knownId };
  if (isResponse) return { kind: "response" };
  if (typeof method !== "string") return { kind: "invalid", id: knownId };
  if (id === undefined) return { kind: "notification", method, params };
  return knownId === null ? { kind: "invalid", id: null } : { kind: "request", id: knownId, method, params };
}

export const invalidRequest = (detail: string): RpcError => ({
  status: 400,
  code: rpcCode.invalidRequest,
  reason: "malformed_request",
  message: `Invalid Request: ${detail}`,
});

export const invalidParams = (detail: string, reason: RefusalCode = "validation_failed"): RpcError => ({
  status: 200,
  code: rpcCode.invalidParams,
  reason,
  message: `Invalid params: ${detail}`,
});

/** `result` is JSON text already. */
export const answerResult = (id: RequestId, result: string) => ({
  status: 200,
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
});

type Whose = { id: RequestId | null; requestId: string };

export function answerError(
  { id, requestId }: Whose,
  { status, code, reason, message, data, headers }: RpcError,
): Answer {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message: endSentence(message), data: { code: reason, requestId, ...data } },
  });
  return headers ? { status, body, headers } : { status, body };
}

export const toEvent = (message: string): string => `event: message\ndata: ${message}\n\n`;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isRequestId = (id: unknown): id is RequestId => typeof id === "string" || Number.isSafeInteger(id);
