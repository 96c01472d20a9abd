import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction, Socket } from "node:net";
import {
  Agent,
  buildConnector,
  Headers as UndiciHeaders,
  type Response as UndiciResponse,
  fetch as undiciFetch,
} from "undici";
import type { AddressRules } from "./address-rules.ts";
import { describeBytes } from "./describe-bytes.ts";
import { isUnconnected, readingMethods } from "./effect.ts";
import { Refusal } from "./refusal.ts";

export type SafeFetch = (url: string | URL, init?: SafeFetchInit) => Promise<Response>;

export type SafeFetchInit = {
  method?: string;
  headers?: Record<string, string> | Iterable<[string, string]>;
  body?: string | Uint8Array | URLSearchParams | null;
  signal?: AbortSignal | undefined;
  /** For the whole exchange, to the last byte of the answer. */
  timeoutMs?: number;
  /** How many redirects to follow, for GET and HEAD without credentials only. Otherwise a 3xx is an answer like any other. */
  followRedirects?: number;
};

type Lookup = (hostname: string) => Promise<LookupAddress[]>;

type SafeFetchOptions = { addressRules: AddressRules; limits?: Partial<typeof defaultLimits>; lookup?: Lookup };

const defaultLimits = {
  responseBytes: 20 * 1024 * 1024,
  headerBytes: 64 * 1024,
  timeoutMs: 60_000,
  connectTimeoutMs: 10_000,
};

/**
 * The only way out of the process for HTTP. Addresses are judged when the connection is made, so that neither a name that
 * resolves differently a second time nor a redirect leads inside. `close` breaks off what is still running.
 */
export const createSafeFetch = ({
  addressRules,
  limits = {},
  lookup = lookupAll,
}: SafeFetchOptions): SafeFetch & { close: () => Promise<void> } => {
  const { responseBytes, headerBytes, timeoutMs: defaultTimeoutMs, connectTimeoutMs } = { ...defaultLimits, ...limits };
  const connect = createGuardedConnector({ addressRules, lookup, connectTimeoutMs });
  // Undici's own time limits are off, because the deadline below covers the whole exchange.
  const agent = new Agent({ connect, maxHeaderSize: headerBytes, headersTimeout: 0, bodyTimeout: 0 });

  const send = async ({ url, method, headers, body }: Request, { signal }: Deadline): Promise<UndiciResponse> => {
    try {
      return await undiciFetch(url, { method, headers, body, redirect: "manual", signal, dispatcher: agent });
    } catch (error) {
      throw explain(error, url.hostname, signal);
    }
  };

  const exchange = async (request: Request, deadline: Deadline, redirects = 0): Promise<Response> => {
    const { url, followRedirects } = request;
    const answer = await send(request, deadline);
    const target = followRedirects > 0 ? redirectTarget(answer, url) : undefined;
    if (!target) return toResponse(answer, { host: url.hostname, responseBytes, deadline });
    await answer.body?.cancel();
    if (redirects === followRedirects) throw refuse(`${url.hostname} redirected more than ${followRedirects} times.`);
    const headers = target.origin === url.origin ? request.headers : keepHarmlessHeaders(request.headers);
    return exchange({ ...request, url: target, headers }, deadline, redirects + 1);
  };

  const safeFetch: SafeFetch = async (address, init = {}) => {
    const request = readRequest(address, init);
    const deadline = startDeadline({
      host: request.url.hostname,
      timeoutMs: init.timeoutMs ?? defaultTimeoutMs,
      signal: init.signal,
    });
    try {
      return await exchange(request, deadline);
    } catch (error) {
      deadline.abandon(error);
      throw error;
    }
  };

  return Object.assign(safeFetch, { close: () => agent.destroy() });
};

const refuse = (message: string): Refusal => new Refusal("outbound_refused", message);

const refuseHost = (hostname: string): Refusal =>
  new Refusal("outbound_refused", `${hostname} is not a public address. The operator can allow address ranges.`, {
    effect: "none",
  });

const lookupAll: Lookup = (hostname) => systemLookup(hostname, { all: true });

type ConnectorOptions = { addressRules: AddressRules; lookup: Lookup; connectTimeoutMs: number };

const createGuardedConnector = ({
  addressRules,
  lookup,
  connectTimeoutMs,
}: ConnectorOptions): buildConnector.connector => {
  // One refused address refuses the name: otherwise the choice of the family would decide what is reached.
  const lookupAllowed: LookupFunction = (hostname, _options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const isRefused = addresses.length === 0 || addresses.some(({ address }) => !addressRules.isAllowed(address));
        callback(isRefused ? refuseHost(hostname) : null, addresses);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: lookupAllowed, autoSelectFamily: true });

  return (options, callback) => {
    const { hostname } = options;
    // Node asks no lookup for an IP literal.
    if (isIP(hostname) !== 0 && !addressRules.isAllowed(hostname)) {
      process.nextTick(callback, refuseHost(hostname), null);
      return;
    }
    // Undici returns the socket although its types do not say so; the tests notice if it stops.
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) throw new Error("the connector gave no socket to check");
    // First in line, so that it runs before a TLS handshake sends anything.
    socket.prependOnceListener("connect", () => {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) socket.destroy(new Error("the peer left at once"));
      else if (!addressRules.isAllowed(remoteAddress)) socket.destroy(refuseHost(hostname));
    });
  };
};

type Request = ReturnType<typeof readRequest>;

const readRequest = (
  address: string | URL,
  { method = "GET", body = null, followRedirects = 0, headers: init = {} }: SafeFetchInit,
) => {
  const headers = readHeaders(init);
  if (followRedirects > 0) refuseCredentials(method, headers);
  return { url: readTarget(address), method, headers, body, followRedirects };
};

const readTarget = (address: string | URL, base?: URL): URL => {
  const url = URL.parse(String(address), base?.href);
  if (!url) throw refuse("The address is not a valid URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refuse("Only http and https addresses can be called.");
  if (url.username !== "" || url.password !== "") throw refuse("The address must not contain a user name or password.");
  return url;
};

/** They decide where a message ends and whom it is for, so only the connection may set them. */
const transportHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const readHeaders = (init: NonNullable<SafeFetchInit["headers"]>): UndiciHeaders => {
  let headers: UndiciHeaders;
  try {
    headers = new UndiciHeaders(Symbol.iterator in init ? [...init] : init);
  } catch {
    // The error of the library quotes the value, which may be a secret.
    throw refuse("A header of the request is not valid.");
  }
  const forbidden = transportHeaders.find((name) => headers.has(name));
  if (forbidden !== undefined) throw refuse(`The header ${forbidden} cannot be set.`);
  if (!headers.has("user-agent")) headers.set("user-agent", "switchyard");
  return headers;
};

const credentialHeaders = ["authorization", "cookie", "proxy-authorization", "x-api-key"];

const refuseCredentials = (method: string, headers: UndiciHeaders): void => {
  const isSafe = readingMethods.has(method.toUpperCase()) && !credentialHeaders.some((name) => headers.has(name));
  if (!isSafe) throw refuse("Redirects are followed only for GET and HEAD requests without credentials.");
};

const redirectTarget = (answer: UndiciResponse, from: URL): URL | undefined => {
  const location = answer.headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const target = readTarget(location, from);
  if (from.protocol === "https:" && target.protocol === "http:")
    throw refuse(`${from.hostname} redirected from https to http.`);
  return target;
};

/** `fetch` would drop `authorization` and `cookie` only, and a key can be in any header. */
const keepHarmlessHeaders = (headers: UndiciHeaders): UndiciHeaders =>
  new UndiciHeaders([...headers].filter(([name]) => name === "accept" || name === "user-agent"));

type Deadline = ReturnType<typeof startDeadline>;

const startDeadline = ({
  host,
  timeoutMs,
  signal,
}: {
  host: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}) => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  const onTimeout = (): void =>
    controller.abort(new Refusal("outbound_timeout", `${host} did not answer within ${timeoutMs} ms.`));
  const timer = setTimeout(onTimeout, Math.min(timeoutMs, 2 ** 31 - 1));
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const release = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  /** Also ends an answer that was begun and will not be read. */
  const abandon = (error: unknown): void => {
    release();
    controller.abort(error);
  };
  return { signal: controller.signal, release, abandon };
};

type Reading = { host: string; responseBytes: number; deadline: Deadline };

const toResponse = (answer: UndiciResponse, reading: Reading): Response => {
  const { status, headers, body } = answer;
  const isKnown = status >= 200 && status <= 599;
  if (!isKnown)
    throw new Refusal("provider_unreachable", `${reading.host} answered with the unknown status ${status}.`);
  if (!body) reading.deadline.release();
  return new Response(body && limitBody(body.getReader(), reading), { status, headers: [...headers] });
};

type BodyReader = {
  read: () => Promise<{ done: boolean; value?: unknown }>;
  cancel: (reason: unknown) => Promise<void>;
};

/** Counts what comes out of decompression, so that a small answer cannot unpack into a huge one. */
const limitBody = (reader: BodyReader, { host, responseBytes, deadline }: Reading): ReadableStream<Uint8Array> => {
  let received = 0;
  const readChunk = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    if (!(value instanceof Uint8Array)) throw new Error("the body is not made of bytes");
    received += value.byteLength;
    if (received > responseBytes) throw refuse(`${host} sent an answer larger than ${describeBytes(responseBytes)}.`);
    return value;
  };
  const cancel = async (reason: unknown): Promise<void> => {
    deadline.release();
    await reader.cancel(reason);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const chunk = await readChunk();
      if (chunk) return controller.enqueue(chunk);
      deadline.release();
      controller.close();
    } catch (error) {
      controller.error(explain(error, host, deadline.signal));
      await cancel(error).catch(() => {});
    }
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
};

/** Library errors carry addresses, header values and raw bytes of the answer, so only their code is passed on. */
const explain = (error: unknown, host: string, signal: AbortSignal): unknown => {
  if (signal.aborted) return signal.reason;
  if (error instanceof Refusal) return error;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Refusal) return cause;
  if (cause === undefined) return refuse("The request is not valid.");
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return new Refusal("outbound_timeout", `${host} did not accept a connection in time.`, { effect: "none" });
  if (code === "UND_ERR_HEADERS_OVERFLOW") return refuse(`${host} sent an answer with too many headers.`);
  const reason = /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : "";
  if (isUnconnected(code))
    return new Refusal("provider_unreachable", `${host} could not be reached${reason}.`, { effect: "none" });
  return new Refusal("provider_unreachable", `${host} could not be reached or broke off${reason}.`);
};
