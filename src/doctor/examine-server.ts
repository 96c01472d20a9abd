import { type Answer, type Ask, isBroken } from "./ask.ts";
import { type Broken, broken, type Finding, sound } from "./finding.ts";
import { judgeAnswer } from "./judge-answer.ts";

const jsonHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const pageOrigin = "https://client.example";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "switchyard-doctor", version: "1" } },
});

/** The first request of every client: it knows only the address. */
export async function examineReach(ask: Ask, url: string): Promise<Finding<Answer>> {
  const answer = await ask(url, { method: "POST", headers: { ...jsonHeaders, origin: pageOrigin }, body: initialize });
  if (isBroken(answer)) return answer;
  return judgeAnswer(answer, [200, 400, 401, 403]) ?? sound(`${answer.status}, JSON`, answer);
}

/** Whether the refusal tells the client where to go on. */
export function examineChallenge(url: string, { status, headers }: Answer): Finding<{ documentUrl: string }> {
  const header = headers.get("www-authenticate");
  if (status >= 200 && status < 300)
    return broken(
      "credentials_added",
      `${status} without any credentials`,
      "A proxy adds an Authorization or X-API-Key header to every request. Let it pass requests on as they are.",
    );
  if (status !== 401)
    return broken(
      "wrong_status",
      `${status}`,
      "The gateway answers 401 to a request without credentials. Something on the way refuses it first.",
    );
  const seen = `401, WWW-Authenticate: ${header ?? "(none)"}`;
  if (header === null)
    return broken(
      "header_missing",
      seen,
      "A proxy removes the WWW-Authenticate header, by which clients find the way to sign in. Let it pass on.",
    );
  const documentUrl = /resource_metadata="([^"]+)"/.exec(header)?.[1];
  if (documentUrl === undefined)
    return broken(
      "header_missing",
      seen,
      "A proxy replaces the WWW-Authenticate header, perhaps to ask for a password of its own. Switch that off for the gateway.",
    );
  return compareAddress({ seen, given: documentUrl, wanted: url }) ?? sound(seen, { documentUrl });
}

type Comparison = { seen: string; given: string; wanted: string };

/** The gateway writes its configured address into what it answers; nothing is derived from the request. */
export function compareAddress({ seen, given, wanted }: Comparison): Broken | undefined {
  const [here, there] = [URL.parse(wanted), URL.parse(given)];
  if (!here || !there)
    return broken("document_wrong", seen, "Set the public addresses of the gateway in the configuration.");
  if (here.origin === there.origin) return undefined;
  if (here.hostname === there.hostname && here.protocol !== there.protocol)
    return broken(
      "http_behind_https",
      seen,
      `Clients come by ${here.protocol.slice(0, -1)}, but the gateway believes its address is ${there.origin}. Set MCP_API_BASE_URL, MCP_OAUTH_RESOURCE_URL and MCP_OAUTH_ISSUER_URL to the address that clients use; X-Forwarded-Proto does not change it.`,
    );
  return broken(
    "resource_mismatch",
    seen,
    `The gateway believes its address is ${there.origin}, but clients use ${here.origin}. Set MCP_OAUTH_RESOURCE_URL (or MCP_API_BASE_URL) to ${here.origin} with the path prefix, if there is one.`,
  );
}

/** Whether a token would arrive: a wrong one must be refused as wrong, not as missing. */
export async function examineBearer(ask: Ask, url: string): Promise<Finding<null>> {
  const answer = await ask(url, {
    method: "POST",
    headers: { ...jsonHeaders, authorization: "Bearer switchyard-doctor" },
    body: initialize,
  });
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [401]);
  if (fault) return fault;
  const seen = `401, WWW-Authenticate: ${answer.headers.get("www-authenticate") ?? "(none)"}`;
  return seen.includes('error="invalid_token"')
    ? sound(seen, null)
    : broken(
        "header_missing",
        seen,
        "A proxy removes the Authorization header, so that no token ever arrives. Let it pass on.",
      );
}

/** What a client inside a web page needs before it may send anything. */
export async function examineCors(ask: Ask, url: string, refusal: Answer): Promise<Finding<null>> {
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
  };
  const answer = await ask(url, { method: "OPTIONS", headers: { origin: pageOrigin, ...preflight } });
  if (isBroken(answer)) return answer;
  const read = (name: string) => answer.headers.get(`access-control-allow-${name}`) ?? "(none)";
  const exposed = refusal.headers.get("access-control-expose-headers") ?? "(none)";
  const seen = `${answer.status}, Access-Control-Allow-Origin: ${read("origin")}, -Headers: ${read("headers")}; on the refusal -Expose-Headers: ${exposed}`;
  const fix =
    "A proxy answers OPTIONS requests itself or removes the Access-Control headers. Let it pass both on. Only clients in web pages need them.";
  if (answer.status < 200 || answer.status > 299) return broken("wrong_status", seen, fix);
  const isAllowed = ["*", pageOrigin].includes(read("origin")) && /authorization/i.test(read("headers"));
  return isAllowed && /www-authenticate/i.test(exposed) ? sound(seen, null) : broken("header_missing", seen, fix);
}

/** The first thing of use, with an API key or an access token. */
export async function examineTools(
  ask: Ask,
  url: string,
  credentials: Record<string, string>,
): Promise<Finding<unknown[]>> {
  const headers = { ...jsonHeaders, "mcp-protocol-version": "2025-11-25", ...credentials };
  const answer = await ask(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [200, 401, 403]);
  if (fault) return fault;
  const { tools } = (answer.json?.result ?? {}) as { tools?: unknown };
  if (Array.isArray(tools)) return sound(`200, ${tools.length} tools`, tools as unknown[]);
  if ("authorization" in credentials)
    return broken(
      "token_refused",
      `${answer.status}, the token was refused`,
      "Something on the way changes the Authorization header, or leads to another installation.",
    );
  if (/api_key_missing/.test(JSON.stringify(answer.json)))
    return broken(
      "header_missing",
      `${answer.status}, no key arrived`,
      "A proxy removes the X-API-Key header. Let it pass on.",
    );
  return broken(
    "key_refused",
    `${answer.status}, the key was refused`,
    "Use a key of an organization with the scope mcp:invoke. The server platform takes no keys.",
  );
}
