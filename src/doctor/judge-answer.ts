import type { Answer } from "./ask.ts";
import { type Broken, broken } from "./finding.ts";

/** What is wrong with any answer that was expected to be JSON with one of these statuses; undefined when nothing is. */
export function judgeAnswer(answer: Answer, statuses: readonly number[]): Broken | undefined {
  const interference = judgeStatus(answer);
  if (interference) return interference;
  return statuses.includes(answer.status) && answer.json ? undefined : judgeForm(answer, statuses);
}

/** What somebody between the client and the gateway answers, whatever was asked. */
function judgeStatus({ url, status, headers, json }: Answer): Broken | undefined {
  const { host } = new URL(url);
  if (status >= 300 && status < 400) return describeRedirect(url, status, headers.get("location") ?? "");
  if (json?.code === "host_refused")
    return broken(
      "host_refused",
      `403 host_refused for ${host}`,
      `The gateway does not know that it is called ${host}. Set MCP_API_BASE_URL (and MCP_OAUTH_RESOURCE_URL, if set) to this address, and let the proxy pass the Host header on unchanged.`,
    );
  if (status === 429)
    return broken(
      "rate_limited",
      "429 Too Many Requests",
      "Wait and check again. If all clients come through one proxy, list it in TRUSTED_PROXIES, so that each client is counted by itself.",
    );
  if (status >= 500)
    return broken(
      "proxy_error",
      `${status}`,
      `The proxy at ${host} cannot reach the gateway, or the gateway failed. Check its upstream address and the log.`,
    );
  return undefined;
}

function describeRedirect(url: string, status: number, location: string): Broken {
  const seen = `${status} to ${location || "nowhere"}`;
  const target = URL.parse(location, url);
  if (url.startsWith("http:") && target?.protocol === "https:")
    return broken(
      "http_behind_https",
      seen,
      "The public address is https. Give clients the https address, and set MCP_API_BASE_URL and MCP_OAUTH_ISSUER_URL to https as well.",
    );
  return broken(
    "redirected",
    seen,
    "Clients do not follow redirects here. Let the proxy pass this path on without a redirect or a sign-in page of its own.",
  );
}

function judgeForm(answer: Answer, statuses: readonly number[]): Broken {
  const { status, isPage, json } = answer;
  const { pathname } = new URL(answer.url);
  const seen = `${status} with ${describeBody(answer)}`;
  if (status === 404 || (isPage && status === 200))
    return broken(
      isPage ? "not_json" : "path_lost",
      seen,
      `${pathname} does not reach the gateway. Let the proxy pass on /{serverId}/mcp, /.well-known/ and /oauth/ to the gateway; if it removes or adds a path prefix, the configured addresses must have the same prefix.`,
    );
  if (!json)
    return broken(
      "not_json",
      seen,
      `Something else answers ${pathname}. Let the proxy pass it on to the gateway, without a sign-in or error page of its own.`,
    );
  return broken(
    "wrong_status",
    seen,
    `Expected ${statuses.join(" or ")}. Something on the way changes the request or the answer.`,
  );
}

function describeBody({ isPage, json }: Answer): string {
  if (isPage) return "an HTML page";
  if (!json) return "no JSON";
  const words = [json.error, json.code].filter((text) => typeof text === "string");
  return words.length > 0 ? `JSON that says ${words.join(" ")}` : "JSON";
}
