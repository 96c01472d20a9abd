import { type Ask, isBroken } from "./ask.ts";
import { compareAddress } from "./examine-server.ts";
import { type Broken, broken, type Finding, sound } from "./finding.ts";
import { judgeAnswer } from "./judge-answer.ts";

export type Endpoints = { issuer: string; authorization: string; token: string; registration: string };

/** RFC 9728: which authorization server speaks for this address. */
export async function examineResource(
  ask: Ask,
  url: string,
  documentUrl: string,
): Promise<Finding<{ issuer: string }>> {
  const answer = await ask(documentUrl);
  if (isBroken(answer)) return answer;
  const fault = judgeAnswer(answer, [200]);
  if (fault) return fault;
  const { resource, authorization_servers: servers } = answer.json ?? {};
  const seen = `200, resource: ${String(resource)}`;
  if (resource !== url)
    return (
      compareAddress({ seen, given: String(resource), wanted: url }) ??
      broken(
        "resource_mismatch",
        seen,
        `Clients refuse a document about another address. Connect with ${String(resource)}, or set MCP_OAUTH_RESOURCE_URL so that it gives ${url}.`,
      )
    );
  const [issuer] = Array.isArray(servers) ? (servers as unknown[]) : [];
  if (typeof issuer !== "string")
    return broken("document_wrong", `${seen}, no authorization_servers`, "Something on the way changes the document.");
  return sound(`${seen}, authorization server: ${issuer}`, { issuer });
}

/** RFC 8414: where its endpoints are. Clients try the places of the document in this order. */
export async function examineIssuer(ask: Ask, issuer: string): Promise<Finding<Endpoints>> {
  let first: Broken | undefined;
  for (const place of placesOf(issuer)) {
    const answer = await ask(place);
    const fault = isBroken(answer) ? answer : judgeAnswer(answer, [200]);
    if (!fault && !isBroken(answer)) return judgeDocument(issuer, answer.json ?? {});
    first ??= fault && { ...fault, seen: `${place}: ${fault.seen}` };
  }
  return (
    first ??
    broken(
      "document_wrong",
      `${issuer} is not an address`,
      "Set MCP_OAUTH_ISSUER_URL to the public address of the gateway.",
    )
  );
}

function placesOf(issuer: string): string[] {
  const url = URL.parse(issuer);
  if (!url) return [];
  const path = url.pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${url.origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${issuer}/.well-known/openid-configuration`];
}

function judgeDocument(issuer: string, document: Record<string, unknown>): Finding<Endpoints> {
  const seen = `200, issuer: ${String(document.issuer)}`;
  if (document.issuer !== issuer)
    return broken(
      "issuer_mismatch",
      seen,
      `The document must name the issuer ${issuer}, letter by letter. Set MCP_OAUTH_ISSUER_URL to the address under which clients read it, and let no proxy change the document.`,
    );
  const methods = document.code_challenge_methods_supported;
  if (!Array.isArray(methods) || !methods.includes("S256"))
    return broken("document_wrong", `${seen}, no S256`, "Something on the way changes the document.");
  const read = (name: string) => String(document[`${name}_endpoint`] ?? "");
  const endpoints = {
    issuer,
    authorization: read("authorization"),
    token: read("token"),
    registration: read("registration"),
  };
  const astray = Object.entries(endpoints).find(([, address]) => URL.parse(address)?.origin !== new URL(issuer).origin);
  if (astray)
    return broken(
      "issuer_mismatch",
      `${seen}, ${astray[0]}_endpoint: ${astray[1] || "(none)"}`,
      `All endpoints must be at ${issuer}. Set MCP_OAUTH_ISSUER_URL to the public address, and let no proxy change the document.`,
    );
  return sound(`${seen}, S256, endpoints at ${new URL(issuer).origin}`, endpoints);
}
