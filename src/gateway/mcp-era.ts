import { isUtf8 } from "node:buffer";
import { isObject, type RpcError, type RpcNotification, type RpcRequest, rpcCode } from "./mcp-message.ts";

export const modernRevision = "2026-07-28";
export const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
export type LegacyRevision = (typeof legacyRevisions)[number];

/** Modern requests stand alone; legacy ones come after an `initialize`, which leaves nothing behind here. */
export type Era = "legacy" | "modern";

/** The headers a request is checked against, as they came. */
export type McpHeaders = {
  protocolVersion: string | undefined;
  method: string | undefined;
  name: string | undefined;
};

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

/** Which era a message belongs to, or why it belongs to none. The body decides; the headers must agree with it. */
export function chooseEra(
  message: RpcRequest | RpcNotification,
  headers: McpHeaders,
): { era: Era } | { error: RpcError } {
  const meta = metaOf(message.params);
  const claimed = meta[versionKey];
  if (claimed === undefined && !namesModernRevision(headers.protocolVersion)) {
    const isNegotiating = message.kind === "request" && message.method === "initialize";
    const error = isNegotiating ? undefined : findLegacyFault(headers.protocolVersion);
    return error ? { error } : { era: "legacy" };
  }
  const error =
    message.kind === "request"
      ? findRequestFault(message, meta, headers)
      : findHeaderMismatch(message, claimed ?? modernRevision, headers);
  return error ? { error } : { era: "modern" };
}

/** Only the oldest revision has batches, and it is the one that is meant when nothing is said. */
export const allowsBatch = (protocolVersion: string | undefined): boolean =>
  protocolVersion === undefined || protocolVersion === "2025-03-26";

export const metaOf = (params: Record<string, unknown>): Record<string, unknown> =>
  isObject(params._meta) ? params._meta : {};

export const claimsModernEra = (params: Record<string, unknown>): boolean => metaOf(params)[versionKey] !== undefined;

const namesModernRevision = (version: string | undefined): boolean =>
  version !== undefined && /^\d{4}-\d\d-\d\d$/.test(version) && version >= modernRevision;

function findLegacyFault(version: string | undefined): RpcError | undefined {
  if (version === undefined || legacyRevisions.some((known) => known === version)) return undefined;
  const data = { supported: [modernRevision, ...legacyRevisions], requested: version };
  return {
    status: 400,
    code: rpcCode.refused,
    reason: "malformed_request",
    message: `Unsupported protocol version: ${version}`,
    data,
  };
}

function findRequestFault(
  request: RpcRequest,
  meta: Record<string, unknown>,
  headers: McpHeaders,
): RpcError | undefined {
  const missing = [
    ...(typeof meta[versionKey] === "string" ? [] : [versionKey]),
    ...(isObject(meta[capabilitiesKey]) ? [] : [capabilitiesKey]),
  ];
  if (missing.length > 0) {
    const message = `Invalid params: _meta lacks ${missing.join(" and ")}`;
    return { status: 400, code: rpcCode.invalidParams, reason: "validation_failed", message, data: { missing } };
  }
  const claimed = String(meta[versionKey]);
  return (
    findHeaderMismatch(request, claimed, headers) ?? findUnsupported(claimed) ?? findMissingHeader(request, headers)
  );
}

function findHeaderMismatch(
  { method }: RpcRequest | RpcNotification,
  claimed: unknown,
  headers: McpHeaders,
): RpcError | undefined {
  if (headers.protocolVersion !== undefined && headers.protocolVersion !== claimed)
    return mismatch("MCP-Protocol-Version", "differs from the body's _meta");
  if (headers.method !== undefined && decodeHeader(headers.method) !== method)
    return mismatch("Mcp-Method", "differs from the body's method");
  return undefined;
}

function findUnsupported(claimed: string): RpcError | undefined {
  if (claimed === modernRevision) return undefined;
  const data = { supported: [modernRevision], requested: claimed };
  return {
    status: 400,
    code: rpcCode.unsupportedRevision,
    reason: "malformed_request",
    message: `Unsupported protocol version: ${claimed}`,
    data,
  };
}

function findMissingHeader({ method, params }: RpcRequest, headers: McpHeaders): RpcError | undefined {
  if (headers.protocolVersion === undefined) return mismatch("MCP-Protocol-Version", "is missing");
  if (headers.method === undefined) return mismatch("Mcp-Method", "is missing");
  if (method !== "tools/call" || typeof params.name !== "string") return undefined;
  if (headers.name === undefined) return mismatch("Mcp-Name", "is missing");
  return decodeHeader(headers.name) === params.name
    ? undefined
    : mismatch("Mcp-Name", "differs from the body's params.name");
}

const mismatch = (header: string, fault: string): RpcError => ({
  status: 400,
  code: rpcCode.headerMismatch,
  reason: "malformed_request",
  message: `Header mismatch: ${header} ${fault}`,
});

/** Headers hold only ASCII safely, so other values come as =?base64?…?=; undefined when what is inside is not that. */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && isUtf8(bytes) ? bytes.toString() : undefined;
}
