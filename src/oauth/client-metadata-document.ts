import type { SafeFetch } from "../base/safe-fetch.ts";
import { normaliseClientMetadata } from "./client-metadata.ts";

const limitMs = 2_500;
const limitBytes = 5 * 1024;

/**
 * Fetches the document that a client's id leads to. The library checks what it says; the address comes from a stranger, so only our own
 * fetch may open it.
 */
export function createFetchMetadataDocument(fetch: SafeFetch) {
  return async (address: string | URL | Request): Promise<Response> => {
    const url = address instanceof Request ? address.url : address;
    const response = await fetch(url, { headers: { accept: "application/json" }, timeoutMs: limitMs });
    if (response.status !== 200) {
      await response.body?.cancel();
      return new Response(null, { status: response.status });
    }
    const document: unknown = JSON.parse(await readText(response));
    requireNoSecret(document);
    const headers = ["cache-control", "expires"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    });
    return new Response(JSON.stringify(normaliseClientMetadata(document)), { headers });
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limitBytes) throw new Error("the document is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

// A document is public, so whatever it calls a secret is none.
function requireNoSecret(document: unknown): void {
  const isSecretive =
    typeof document === "object" &&
    document !== null &&
    ["client_secret", "client_secret_expires_at"].some((name) => name in document);
  if (isSecretive) throw new Error("the document holds a secret");
}
