import { readingMethods } from "../base/effect.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";

/** How a request is made to count as the credential's. */
export type Authorization = {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  pathPrefix?: string;
  /** For providers that want the finished request signed. It may also move the request to another host of theirs. */
  sign?: (request: FinishedRequest) => Promise<FinishedRequest>;
};

export type FinishedRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
};

type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

export type HttpRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  /**
   * Below the base URL; build it with the `path` template, which encodes what comes from outside.
   * May also be a full address, which is refused when it has none of the credential's origins.
   */
  path: string;
  query?: Record<string, QueryValue>;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, QueryValue>;
  body?: Uint8Array | string | FormData;
  /** Whether it does no harm to send it twice, when that differs from the whole call. */
  repeatable?: boolean;
  timeoutMs?: number;
  /** Statuses besides 2xx that are an answer and not a failure. */
  alsoAccept?: number[];
  /** Whatever comes back is an answer, but for what says that the credential itself is not accepted. */
  acceptsRefusals?: boolean;
};

/** What all requests of one tool call to one provider have in common. */
export type ExchangeOptions = {
  fetch: SafeFetch;
  baseUrl: string;
  /** Where else the credential may be sent. */
  origins?: readonly string[];
  headers: Record<string, string>;
  authorize: () => Authorization;
  signal: AbortSignal;
};

/** An answer and the address it came from, which a redirect may have changed. */
export type Exchange = { response: Response; url: URL };

const mostRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * One request with the credential, and where it only reads, the redirects of its answer within its own origin: a renamed repository is one.
 * What leads elsewhere is not followed, so that no credential is sent to a place of somebody else's choice; nor is a signature
 * made for an address that another side chose.
 */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<Exchange> {
  let step = await sendOnce(request, options);
  const mayFollow = readingMethods.has(request.method ?? "GET") && options.authorize().sign === undefined;
  for (let redirects = 0; ; redirects++) {
    const target = redirectTarget(step);
    if (target === null || !mayFollow || !isNear(target, step.url)) return step;
    await step.response.body?.cancel();
    if (redirects === mostRedirects)
      throw new Refusal("outbound_refused", `${target.hostname} redirected more than ${mostRedirects} times.`);
    // The query belongs to the address that was asked for and not to those it leads to.
    step = await sendOnce({ ...request, path: target.href, query: {} }, options);
  }
}

/** Where an answer leads to, when it does. */
export function redirectTarget({ response: { status, headers }, url }: Exchange): URL | null {
  const location = headers.get("location");
  return location !== null && redirectStatuses.has(status) ? URL.parse(location, url.href) : null;
}

/** The scheme too, because a `blob:` address has the origin of the one inside it. */
export const isNear = (target: URL, url: URL): boolean =>
  target.protocol === url.protocol && target.origin === url.origin;

async function sendOnce(
  request: HttpRequest,
  { fetch, authorize, baseUrl, origins = [], signal, ...options }: ExchangeOptions,
): Promise<Exchange> {
  const authorization = authorize();
  // Otherwise whoever chooses the address gets the secret.
  if (baseUrl === "" && Object.keys(authorization).length > 0)
    throw new Refusal(
      "outbound_refused",
      "This credential says nowhere which address its secret may be sent to. Give it a Base URL.",
    );
  const { headers = {}, query = {}, pathPrefix = "", sign } = authorization;
  const body = await encodeBody(request);
  const finished: FinishedRequest = {
    method: request.method ?? "GET",
    url: buildUrl({ base: baseUrl.replace(/\/+$/, ""), pathPrefix, origins }, request.path, {
      given: request.query ?? {},
      secret: query,
    }),
    headers: {
      ...lowerCase(options.headers),
      ...body.headers,
      ...lowerCase(headers),
      ...lowerCase(request.headers ?? {}),
    },
    body: body.bytes,
  };
  const { url, ...init } = sign ? await sign(finished) : finished;
  const response = await fetch(url, {
    ...init,
    signal,
    ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
  });
  return { response, url: new URL(url) };
}

type Query = { given: Record<string, QueryValue>; secret: Record<string, string> };

type Place = { base: string; pathPrefix: string; origins: readonly string[] };

function buildUrl({ base, pathPrefix, origins }: Place, pathBelow: string, query: Query): string {
  const isFullAddress = /^https?:\/\//i.test(pathBelow);
  const url = new URL(isFullAddress ? pathBelow : base + pathPrefix + pathBelow);
  if (isFullAddress && base !== "") {
    const allowed = new Set([new URL(base).origin, ...origins]);
    if (!allowed.has(url.origin))
      throw new Refusal("outbound_refused", `This credential may only be used with ${[...allowed].join(", ")}.`);
    url.pathname = withPrefix(url.pathname, new URL(base).pathname.replace(/\/+$/, ""), pathPrefix);
  }
  for (const [name, value] of toPairs(query.given)) url.searchParams.append(name, value);
  // A redirect may repeat what it was asked with.
  for (const [name, value] of Object.entries(query.secret)) {
    url.searchParams.delete(name);
    url.searchParams.append(name, value);
  }
  return url.href;
}

/** The path with the secret that its provider wants there. A redirect may repeat it. */
function withPrefix(path: string, basePath: string, prefix: string): string {
  if (prefix === "" || path.startsWith(`${basePath}${prefix}/`)) return path;
  return basePath + prefix + (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path);
}

function toPairs(values: Record<string, QueryValue>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [value].flat().map((entry): [string, string] => [name, String(entry)]);
  });
}

async function encodeBody({
  json,
  form,
  body,
}: HttpRequest): Promise<{ headers: Record<string, string>; bytes: string | Uint8Array | null }> {
  if (json !== undefined) return { headers: { "content-type": "application/json" }, bytes: JSON.stringify(json) };
  if (form !== undefined)
    return {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      bytes: new URLSearchParams(toPairs(form)).toString(),
    };
  if (body instanceof FormData) {
    const encoded = new Response(body);
    return {
      headers: { "content-type": encoded.headers.get("content-type") ?? "" },
      bytes: new Uint8Array(await encoded.arrayBuffer()),
    };
  }
  return { headers: {}, bytes: body ?? null };
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
