import { createHash, randomBytes } from "node:crypto";
import { type Answer, type Ask, isBroken } from "./ask.ts";
import type { Endpoints } from "./examine-documents.ts";
import { broken, type Finding, sound } from "./finding.ts";
import { judgeAnswer } from "./judge-answer.ts";

// A client on a computer without a listener: nobody is ever sent there.
export const redirectUri = "http://127.0.0.1:9/callback";

/** Registers as every new client does. The gateway removes a client that nobody connects within a day. */
export async function examineRegistration(
  ask: Ask,
  { registration }: Endpoints,
  clientName: string,
): Promise<Finding<{ clientId: string }>> {
  const body = JSON.stringify({
    client_name: clientName,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "none",
  });
  const answer = await ask(registration, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [201]);
  if (fault) return fault;
  const { client_id: clientId } = answer.json ?? {};
  if (typeof clientId !== "string")
    return broken("document_wrong", "201 without client_id", "Something on the way changes the answer.");
  return sound("201 with a client_id", { clientId });
}

/** A browser that stands before the consent page. */
export type ConsentVisit = { uid: string; cookie: string; verifier: string };

/** Follows the browser to the page where a person approves. */
export async function examineConsent(
  ask: Ask,
  endpoints: Endpoints,
  { url, clientId }: { url: string; clientId: string },
): Promise<Finding<ConsentVisit>> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const request = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    resource: url,
    state: "doctor",
  };
  const query = new URLSearchParams({ ...request, code_challenge: challenge, code_challenge_method: "S256" });
  const started = await ask(`${endpoints.authorization}?${query}`);
  if (isBroken(started)) return started;
  const start = readRedirect(started);
  if (!start.isSound) return start;
  if (new URL(start.value).origin !== new URL(endpoints.issuer).origin)
    return broken(
      "redirected",
      start.seen,
      `A proxy rewrites the Location header: the browser must stay at ${endpoints.issuer}. Switch the rewriting off.`,
    );
  const cookies = started.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  if (cookies.length === 0)
    return broken(
      "cookie_missing",
      `${start.seen}, no Set-Cookie`,
      "A proxy removes the Set-Cookie header, so that the gateway cannot recognise the browser. Let it pass on.",
    );
  const passed = await ask(start.value);
  if (isBroken(passed)) return passed;
  const consent = readRedirect(passed);
  if (!consent.isSound) return consent;
  const page = await examinePage(ask, consent.value);
  const uid = new URL(start.value).pathname.split("/").at(-1) ?? "";
  return page.isSound ? sound(page.seen, { uid, cookie: cookies.join("; "), verifier }) : page;
}

export function readRedirect(answer: Answer): Finding<string> {
  const location = URL.parse(answer.headers.get("location") ?? "", answer.url);
  if (answer.status < 300 || answer.status > 399 || !location)
    return (
      judgeAnswer(answer, [302, 303]) ??
      broken(
        "wrong_status",
        `${answer.status}`,
        "The gateway redirects the browser here. Something on the way answers instead.",
      )
    );
  return sound(`${answer.status} to ${location.origin}${location.pathname}`, location.href);
}

async function examinePage(ask: Ask, address: string): Promise<Finding<null>> {
  const { origin } = new URL(address);
  const page = await ask(address, { headers: { accept: "text/html" } });
  if (isBroken(page)) return page;
  const seen = `the consent page at ${origin} answers ${page.status} with ${page.isPage ? "a page" : "no page"}`;
  return page.status === 200 && page.isPage
    ? sound(seen, null)
    : broken(
        "path_lost",
        seen,
        "MCP_OAUTH_CONSENT_URL_TEMPLATE must lead to the web UI of the platform, at /consent/{uid}. Let the proxy pass that path on to the platform.",
      );
}

/** A code that nobody was given must be refused in the form that clients read. */
export async function examineToken(
  ask: Ask,
  { token }: Endpoints,
  { url, clientId }: { url: string; clientId: string },
): Promise<Finding<null>> {
  const code = {
    grant_type: "authorization_code",
    code: randomBytes(32).toString("base64url"),
    code_verifier: randomBytes(32).toString("base64url"),
  };
  const body = new URLSearchParams({ ...code, client_id: clientId, redirect_uri: redirectUri, resource: url });
  const answer = await ask(token, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [400, 401]);
  if (fault) return fault;
  const caching = answer.headers.get("cache-control") ?? "(none)";
  const seen = `${answer.status} ${String(answer.json?.error)}, Cache-Control: ${caching}`;
  if (answer.json?.error !== "invalid_grant")
    return broken("wrong_status", seen, "A proxy changes or drops the body of the request. Let it pass on as it is.");
  if (!/no-store/.test(caching))
    return broken(
      "header_missing",
      seen,
      "A proxy replaces Cache-Control, so that tokens may be stored on the way. Let it pass on.",
    );
  return sound(seen, null);
}
