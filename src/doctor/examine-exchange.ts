import { type Ask, isBroken } from "./ask.ts";
import { type ConsentVisit, readRedirect, redirectUri } from "./examine-authorization.ts";
import type { Endpoints } from "./examine-documents.ts";
import { broken, type Finding, sound } from "./finding.ts";
import { judgeAnswer } from "./judge-answer.ts";

/** Approves an open request in the name of a person, and gives the address the browser goes to next. */
export type Approve = (uid: string) => Promise<string>;

type Exchange = ConsentVisit & { url: string; clientId: string; approve: Approve };

/** From the approval of a person to a token, as the browser and the client go. */
export async function examineExchange(
  ask: Ask,
  endpoints: Endpoints,
  exchange: Exchange,
): Promise<Finding<{ accessToken: string }>> {
  const code = await fetchCode(ask, endpoints, exchange);
  return code.isSound ? await fetchToken(ask, endpoints, { ...exchange, code: code.value }) : code;
}

async function fetchCode(
  ask: Ask,
  { issuer }: Endpoints,
  { uid, cookie, approve }: Exchange,
): Promise<Finding<string>> {
  const finished = await ask(await approve(uid), { headers: { cookie } });
  if (isBroken(finished)) return finished;
  if (finished.status === 400)
    return broken(
      "cookie_missing",
      "400, the browser was not recognised",
      "A proxy removes or changes the Cookie header. Let it pass on.",
    );
  const next = readRedirect(finished);
  if (!next.isSound) return next;
  const resumed = await ask(next.value, { headers: { cookie } });
  if (isBroken(resumed)) return resumed;
  const back = readRedirect(resumed);
  if (!back.isSound) return back;
  const { searchParams } = new URL(back.value);
  const code = searchParams.get("code");
  if (!back.value.startsWith(redirectUri) || code === null)
    return broken(
      "redirected",
      `${back.seen} without a code`,
      "A proxy rewrites the Location header. Switch the rewriting off.",
    );
  if (searchParams.get("iss") !== issuer)
    return broken(
      "issuer_mismatch",
      `iss=${searchParams.get("iss")}`,
      "Set MCP_OAUTH_ISSUER_URL to the public address of the gateway.",
    );
  return sound("a code", code);
}

async function fetchToken(
  ask: Ask,
  { token }: Endpoints,
  { url, clientId, verifier, code }: Exchange & { code: string },
): Promise<Finding<{ accessToken: string }>> {
  const grant = { grant_type: "authorization_code", code, code_verifier: verifier };
  const body = new URLSearchParams({ ...grant, client_id: clientId, redirect_uri: redirectUri, resource: url });
  const answer = await ask(token, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [200]);
  if (fault) return fault;
  const { access_token: accessToken, scope } = answer.json ?? {};
  if (typeof accessToken !== "string")
    return broken("document_wrong", "200 without access_token", "Something on the way changes the answer.");
  return sound(`200 with a token for ${String(scope)}`, { accessToken });
}
