import { describeBytes } from "../../base/describe-bytes.ts";
import { readingMethods } from "../../base/effect.ts";
import { Refusal } from "../../base/refusal.ts";
import type { SafeFetch } from "../../base/safe-fetch.ts";
import { createScrub } from "../../base/scrub.ts";
import type { Http, HttpRequest } from "../../contract/http.ts";
import { redirectTarget } from "../../contract/http-exchange.ts";

type Opened = { response: Response; url: URL };

type Outside = {
  http: Http;
  fetch: SafeFetch;
  signal: AbortSignal;
  credential: { authKind?: string; name?: string | undefined };
  secrets: () => readonly string[];
};

/** The secret of an account is sent to its own origins alone, so one that nobody named is none for other addresses. */
export const isOfAccount = ({ url }: { url: string }, origins: readonly string[]): boolean =>
  origins.length === 0 || origins.includes(URL.parse(url)?.origin ?? "");

const mostRedirects = 5;
const mostBodyBytes = 5 * 1024 * 1024;
const redirectStatuses = [301, 302, 303, 307, 308];

/** The answer at an address after its redirects. Only requests to the origin of the first address carry the credential. */
export async function openAddress(
  address: string,
  request: Omit<HttpRequest, "path">,
  outside: Outside,
): Promise<Opened> {
  const alsoAccept = [...(request.alsoAccept ?? []), ...redirectStatuses];
  const opened = await outside.http.open({ ...request, alsoAccept, path: readAddress(address).href });
  const target = redirectTarget(opened);
  const isFollowed = target !== null && readingMethods.has(request.method ?? "GET");
  if (!isFollowed) return opened;
  await opened.response.body?.cancel();
  return await openElsewhere({ from: opened.url, target, request }, outside);
}

type Elsewhere = { from: URL; target: URL; request: Omit<HttpRequest, "path"> };

async function openElsewhere(
  { from, target, request }: Elsewhere,
  { fetch, signal, ...account }: Outside,
): Promise<Opened> {
  if (from.protocol === "https:" && target.protocol !== "https:") {
    throw new Refusal("outbound_refused", `${from.hostname} redirected from https to http.`);
  }
  removeSecret(target, account);
  const { method = "GET", timeoutMs, headers } = request;
  const response = await fetch(target, {
    method,
    headers: headers?.accept === undefined ? {} : { accept: headers.accept },
    signal,
    followRedirects: mostRedirects,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { response, url: target };
}

/** A redirect may repeat the query it was asked with. Only what is removed changes the address, because it may be a signed one. */
function removeSecret(
  target: URL,
  { credential: { authKind, name }, secrets }: Pick<Outside, "credential" | "secrets">,
): void {
  const values = secrets();
  const isSecret = ([key, value]: [string, string]) => (authKind === "query" && key === name) || values.includes(value);
  for (const [key, value] of [...target.searchParams].filter(isSecret)) target.searchParams.delete(key, value);
  if (createScrub(values).text(target.href) !== target.href)
    throw new Refusal(
      "outbound_refused",
      `The answer redirects to ${target.hostname} with the secret of the account in its address.`,
    );
}

export async function readBody(response: Response, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    received += chunk.byteLength;
    if (received > mostBodyBytes)
      throw new Refusal("outbound_refused", `${host} sent an answer larger than ${describeBytes(mostBodyBytes)}.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Text in the encoding that is named, or in UTF-8 when it is not known. */
export function decodeText(bytes: Buffer, encoding: string | undefined): string {
  try {
    return new TextDecoder(encoding ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export const charsetOf = (contentType: string | null): string | undefined =>
  /charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? "")?.[1];

function readAddress(address: string): URL {
  const url = URL.parse(address);
  const isUsable =
    url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
  if (isUsable) return url;
  const detail = "must be an absolute http or https address without a user name or password";
  throw new Refusal("validation_failed", `url ${detail}.`, { errors: [{ pointer: "/url", detail }] });
}
