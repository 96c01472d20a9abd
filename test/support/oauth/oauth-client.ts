import { createHash, randomBytes } from "node:crypto";
import type { ConsentDecision, ConsentRequest } from "../../../src/oauth/wire.ts";
import type { Browser } from "../browser-client.ts";
import { createMcpClient } from "../gateway/mcp-client.ts";
import { createOAuthBrowser, type OAuthBrowser } from "./oauth-browser.ts";

export type Tokens = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
};
type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body };
export type OAuthParameters = Record<string, string | string[] | undefined>;

export const redirectUri = "http://localhost:8787/callback";

export type OAuthClient = ReturnType<typeof createOAuthClient>;

/** Speaks OAuth by hand, so that every parameter can be chosen. Undefined ones are left out. */
export function createOAuthClient(gatewayUrl: string, issuerUrl = gatewayUrl) {
  const post = async (
    path: string,
    body: string | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(issuerUrl + path, { method: "POST", body, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
  const form = (parameters: OAuthParameters) => {
    const entries = Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().flatMap((one): [string, string][] => (one === undefined ? [] : [[name, one]])),
    );
    return new URLSearchParams(entries);
  };

  return {
    register: (metadata: unknown) =>
      post("/oauth/register", typeof metadata === "string" ? metadata : JSON.stringify(metadata), {
        "content-type": "application/json",
      }),

    token: (parameters: OAuthParameters, headers: Record<string, string> = {}) =>
      post("/oauth/token", form(parameters), headers) as Promise<
        Answer<Tokens & { error?: string; error_description?: string }>
      >,

    revoke: (parameters: OAuthParameters, headers: Record<string, string> = {}) =>
      post("/oauth/revoke", form(parameters), headers),

    resourceOf: (serverId: string) => `${gatewayUrl}/${serverId}/mcp`,

    /** The address a client sends the browser to. */
    authorizeUrl: (parameters: OAuthParameters) => `${issuerUrl}/oauth/authorize?${form(parameters)}`,

    /** Calls an MCP server with an access token. */
    use: (token: string) => createMcpClient(gatewayUrl, { authorization: `Bearer ${token}` }),
  };
}

export function createChallenge() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

type Person = { browser: Browser; organizationId: string };

/** A person at the consent page, which is reached from the address a client gives. */
export async function openConsent(
  url: string,
  person: Pick<Person, "browser">,
  browser: OAuthBrowser = createOAuthBrowser(),
) {
  const started = await browser.get(url);
  const shown = await browser.get(started.location);
  const uid = new URL(shown.location).pathname.split("/").at(-1) ?? "";
  const path = `/api/oauth/consent-requests/${uid}`;
  const decide = (decision: ConsentDecision) => person.browser.post(`${path}/decision`, decision);
  /** From the decision to the address of the client, where the answer goes. */
  const finish = async (redirectTo: string) => {
    const finished = await browser.get(redirectTo);
    const resumed = await browser.get(finished.location);
    return { finished, resumed, answer: URL.parse(resumed.location)?.searchParams ?? new URLSearchParams() };
  };
  return {
    uid,
    browser,
    started,
    shown,
    read: async () => (await person.browser.get(path)) as { status: number; body: ConsentRequest },
    decide,
    finish,
    async answer(decision: ConsentDecision) {
      const { status, body } = await decide(decision);
      if (status !== 200) throw new Error(`the decision was answered with ${status} ${JSON.stringify(body)}`);
      return await finish((body as { redirectTo: string }).redirectTo);
    },
  };
}

export type ConnectRequest = {
  serverId: string;
  scope?: string;
  scopes?: ConsentDecision["scopes"];
  clientId?: string;
  noResource?: boolean;
  credentialId?: string;
};

/** The whole way of a new public client to its tokens. */
export async function connectClient(client: OAuthClient, person: Person, asked: ConnectRequest) {
  const { serverId, scope, scopes, clientId, noResource = false, credentialId } = asked;
  const { verifier, challenge } = createChallenge();
  const id =
    clientId ??
    String((await client.register({ redirect_uris: [redirectUri], client_name: "Test client" })).body.client_id);
  const resource = noResource ? undefined : client.resourceOf(serverId);
  const request = { response_type: "code", client_id: id, redirect_uri: redirectUri, state: "s", scope, resource };
  const url = client.authorizeUrl({ ...request, code_challenge: challenge, code_challenge_method: "S256" });
  const consent = await openConsent(url, person);
  const { organizationId } = person;
  const { answer } = await consent.answer({
    approve: true,
    organizationId,
    ...(scopes ? { scopes } : {}),
    ...(noResource ? { serverId } : {}),
    ...(credentialId === undefined ? {} : { credentialId }),
  });
  const code = answer.get("code") ?? "";
  const exchange = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: id,
    code_verifier: verifier,
  };
  const { status, body } = await client.token({ ...exchange, resource });
  if (status !== 200) throw new Error(`the code was answered with ${status} ${JSON.stringify(body)}`);
  const refresh = (token: string, others: OAuthParameters = {}) =>
    client.token({ grant_type: "refresh_token", refresh_token: token, client_id: id, ...others });
  return { clientId: id, code, exchange, tokens: body, refresh, mcp: client.use(body.access_token) };
}
