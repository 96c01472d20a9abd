import type { Fault, StepId } from "../../../src/doctor/wire.ts";
import type { ProxyFault } from "./faulty-proxy.ts";

type Headers = Record<string, string | string[]>;
type Place = { publicUrl: string; url: string; key: string };

const page = {
  status: 200,
  headers: { "content-type": "text/html" } as Record<string, string>,
  body: "<!doctype html><h1>Welcome</h1>",
};
const plainText = { "content-type": "text/plain" };

/** The proxy answers itself where the path fits. */
export const answering = (place: RegExp, answer: Partial<typeof page> = {}): ProxyFault => ({
  answer: (path) => (place.test(path) ? { ...page, ...answer } : undefined),
});

export const removingHeader = (name: string): ProxyFault => ({
  changeAnswer: ({ headers }) => void delete headers[name],
});

/** Changes a text in headers and bodies of answers. */
export const rewriting = (from: RegExp | string, to: string): ProxyFault => ({
  changeAnswer(message) {
    message.body = message.body.replaceAll(from, to);
    for (const [name, value] of Object.entries(message.headers))
      if (typeof value === "string") message.headers[name] = value.replaceAll(from, to);
  },
});

const removingFromRequest = (name: string): ProxyFault => ({ changeRequest: (headers) => void delete headers[name] });
const setting = (name: string, value: string) => (headers: Headers) => {
  headers[name] = value;
};
const replacing = (name: string, from: string, to: string) => (headers: Headers) => {
  if (typeof headers[name] === "string") headers[name] = headers[name].replace(from, to);
};
const inAnswers = (change: (headers: Headers) => void): ProxyFault => ({
  changeAnswer: ({ headers }) => change(headers),
});

type Case = { hop: StepId; fault: Fault; fix: RegExp; plant: (place: Place) => ProxyFault };

/** What a proxy can do wrong, and the hop that is broken by it. */
export const proxyFaults: Record<string, Case> = {
  "leads to nothing behind it": {
    hop: "reach",
    fault: "proxy_error",
    fix: /upstream/,
    plant: () => answering(/./, { status: 502 }),
  },
  "adds a path prefix": {
    hop: "reach",
    fault: "path_lost",
    fix: /prefix/,
    plant: () => ({ changePath: (path) => `/gateway${path}` }),
  },
  "leads to a website": {
    hop: "reach",
    fault: "not_json",
    fix: /does not reach the gateway/,
    plant: () => answering(/./),
  },
  "asks for a sign-in of its own": {
    hop: "reach",
    fault: "not_json",
    fix: /sign-in/,
    plant: () => answering(/./, { status: 401 }),
  },
  "redirects to https": {
    hop: "reach",
    fault: "http_behind_https",
    fix: /https address/,
    plant: () => answering(/./, { status: 301, headers: { location: "https://localhost/system/mcp" }, body: "" }),
  },
  "changes the Host header": {
    hop: "reach",
    fault: "host_refused",
    fix: /Host header/,
    plant: () => ({ changeRequest: setting("host", "inside.example") }),
  },
  "adds a key to every request": {
    hop: "challenge",
    fault: "credentials_added",
    fix: /adds/,
    plant: ({ key }) => ({ changeRequest: setting("x-api-key", key) }),
  },
  "removes WWW-Authenticate": {
    hop: "challenge",
    fault: "header_missing",
    fix: /removes the WWW-Authenticate/,
    plant: () => removingHeader("www-authenticate"),
  },
  "replaces WWW-Authenticate": {
    hop: "challenge",
    fault: "header_missing",
    fix: /password of its own/,
    plant: () => inAnswers(setting("www-authenticate", "Basic realm=x")),
  },
  "speaks another protocol than the configured address": {
    hop: "challenge",
    fault: "http_behind_https",
    fix: /MCP_API_BASE_URL/,
    plant: () => rewriting("http://localhost", "https://localhost"),
  },
  "has another name than the configured one": {
    hop: "challenge",
    fault: "resource_mismatch",
    fix: /MCP_OAUTH_RESOURCE_URL/,
    plant: () => rewriting("http://localhost", "http://127.0.0.1"),
  },
  "keeps /.well-known for a website": {
    hop: "resource",
    fault: "not_json",
    fix: /well-known/,
    plant: () => answering(/well-known/),
  },
  "does not know /.well-known": {
    hop: "resource",
    fault: "path_lost",
    fix: /prefix/,
    plant: () => answering(/well-known/, { status: 404, headers: plainText, body: "no" }),
  },
  "changes the resource": {
    hop: "resource",
    fault: "resource_mismatch",
    fix: /another address/,
    plant: ({ url }) => rewriting(`"resource":"${url}"`, `"resource":"${url}/"`),
  },
  "changes the issuer": {
    hop: "issuer",
    fault: "issuer_mismatch",
    fix: /MCP_OAUTH_ISSUER_URL/,
    plant: ({ publicUrl }) => rewriting(`"issuer":"${publicUrl}"`, `"issuer":"${publicUrl}/"`),
  },
  "moves an endpoint to another address": {
    hop: "issuer",
    fault: "issuer_mismatch",
    fix: /All endpoints/,
    plant: ({ publicUrl }) => rewriting(`${publicUrl}/oauth/token`, "http://inside.example/oauth/token"),
  },
  "does not pass on the document of the issuer": {
    hop: "issuer",
    fault: "not_json",
    fix: /well-known/,
    plant: () => answering(/authorization-server|openid/, { status: 404 }),
  },
  "keeps strangers from registering": {
    hop: "registration",
    fault: "not_json",
    fix: /Something else answers/,
    plant: () => answering(/register/, { status: 403 }),
  },
  "counts everybody as one": {
    hop: "registration",
    fault: "rate_limited",
    fix: /TRUSTED_PROXIES/,
    plant: () => answering(/register/, { status: 429, headers: { "content-type": "application/json" }, body: "{}" }),
  },
  "removes Set-Cookie": {
    hop: "consent",
    fault: "cookie_missing",
    fix: /Set-Cookie/,
    plant: () => removingHeader("set-cookie"),
  },
  "rewrites Location": {
    hop: "consent",
    fault: "redirected",
    fix: /Location/,
    plant: () => inAnswers(replacing("location", "localhost", "127.0.0.1")),
  },
  "replaces Cache-Control": {
    hop: "token",
    fault: "header_missing",
    fix: /Cache-Control/,
    plant: () => inAnswers(setting("cache-control", "max-age=60")),
  },
  "changes the body of forms": {
    hop: "token",
    fault: "wrong_status",
    fix: /body/,
    plant: () => ({ changeRequest: replacing("content-type", "x-www-form-urlencoded", "octet-stream") }),
  },
  "removes Authorization": {
    hop: "bearer",
    fault: "header_missing",
    fix: /removes the Authorization/,
    plant: () => removingFromRequest("authorization"),
  },
  "answers OPTIONS itself": {
    hop: "cors",
    fault: "wrong_status",
    fix: /OPTIONS/,
    plant: () => ({ answer: (_path, method) => (method === "OPTIONS" ? { ...page, status: 405 } : undefined) }),
  },
  "removes what web pages need": {
    hop: "cors",
    fault: "header_missing",
    fix: /Access-Control/,
    plant: () => removingHeader("access-control-expose-headers"),
  },
  "removes X-API-Key": {
    hop: "tools",
    fault: "header_missing",
    fix: /X-API-Key/,
    plant: () => removingFromRequest("x-api-key"),
  },
};
