import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Provider } from "oidc-provider";

export type CallProvider = ReturnType<typeof createCallProvider>;

export type ProviderRequest = {
  method: "GET" | "POST";
  /** Of the endpoint, below the issuer. */
  path: string;
  cookie?: string | undefined;
  authorization?: string | undefined;
  body?: { type: string; bytes: Buffer };
};

type Answer = { status: number; headers: Record<string, string | string[]>; body: string };

/**
 * Hands requests to the library that were made here, not those that came in: it builds addresses and cookies from Host, protocol and
 * path, and behind a proxy those are not the public ones. Its answers come back as values, so that our own door sends them.
 */
export function createCallProvider(provider: Provider, issuerUrl: string) {
  const issuer = new URL(issuerUrl);
  const outcomes = new WeakMap<IncomingMessage, Answer | Error>();
  provider.use(async (context, next) => {
    context.respond = false;
    try {
      await next();
      if (!outcomes.has(context.req)) outcomes.set(context.req, readAnswer(context));
    } catch (error) {
      outcomes.set(context.req, error as Error);
    }
  });
  provider.on("server_error", (context, error) => void outcomes.set(context.req, error));
  const handle = provider.callback();

  function toMessage({ method, path, cookie, authorization, body }: ProviderRequest): IncomingMessage {
    const message = new IncomingMessage(new Socket());
    message.method = method;
    message.url = path;
    const given = {
      host: issuer.host,
      "x-forwarded-proto": issuer.protocol.slice(0, -1),
      accept: "application/json",
      cookie,
      authorization,
    };
    const about = body ? { "content-type": body.type, "content-length": String(body.bytes.length) } : {};
    for (const [name, value] of Object.entries({ ...given, ...about }))
      if (value !== undefined) message.headers[name] = value;
    if (body) message.push(body.bytes);
    message.push(null);
    return Object.assign(message, { originalUrl: issuer.pathname.replace(/\/$/, "") + path });
  }

  return {
    async call(request: ProviderRequest): Promise<Answer> {
      const message = toMessage(request);
      await handle(message, new ServerResponse(message));
      const outcome = outcomes.get(message) ?? new Error("the authorization server gave no answer");
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },

    /** The request for consent that this browser began, by its cookie. */
    readInteraction(request: ProviderRequest) {
      const message = toMessage(request);
      return provider.interactionDetails(message, new ServerResponse(message));
    },
  };
}

type Context = { status: number; body: unknown; response: { headers: Record<string, unknown> } };

const droppedHeaders = /^(access-control-|vary$|content-length$|cache-control$|pragma$)/i;

function readAnswer({ status, body, response }: Context): Answer {
  const headers: Answer["headers"] = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (droppedHeaders.test(name) || value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.map(String).filter(isWanted) : String(value);
  }
  return {
    status,
    headers,
    body: typeof body === "string" ? body : body === undefined || body === null ? "" : JSON.stringify(body),
  };
}

// The library's own session, which nobody keeps.
const isWanted = (cookie: string): boolean => !cookie.startsWith("switchyard_unused");
