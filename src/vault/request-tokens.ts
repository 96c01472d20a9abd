import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { createScrub } from "../base/scrub.ts";
import type { CredentialData, OAuth2 } from "../contract/credential.ts";
import { providerFailure } from "../contract/http.ts";
import { at, numberAt, textAt } from "../contract/read.ts";
import { readRetryAfterMs } from "../contract/retry-after.ts";
import { addressOf } from "./destination.ts";

export type OAuthClient = { id: string; secret: string | undefined };

/** Clients of the whole installation, by the type's name in capitals. */
export type OAuthClients = Record<string, OAuthClient>;

export type Tokens = {
  accessToken: string;
  refreshToken: string | undefined;
  expiresInSeconds: number | undefined;
  /** As the provider writes them. */
  scope?: string | undefined;
};

type TokenRequest = {
  fetch: SafeFetch;
  oauth2: OAuth2;
  /** The provider's title, for messages. */
  provider: string;
  data: CredentialData;
  client: OAuthClient;
  parameters: Record<string, string>;
};

const limitMs = 10_000;

/** Asks a provider's token endpoint. What it says about a failure is passed on without the secrets it was sent. */
export async function requestTokens({
  fetch,
  oauth2,
  provider,
  data,
  client,
  parameters,
}: TokenRequest): Promise<Tokens> {
  const basic = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret ?? "")}`;
  const isBasic = oauth2.clientAuth === "basic";
  const sent = {
    ...parameters,
    ...(isBasic
      ? {}
      : { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }) }),
  };
  const response = await fetch(addressOf(oauth2, "tokenUrl", data), {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": oauth2.tokenBody === "json" ? "application/json" : "application/x-www-form-urlencoded",
      ...(isBasic ? { authorization: `Basic ${Buffer.from(basic).toString("base64")}` } : {}),
      ...Object.fromEntries(Object.entries(oauth2.tokenHeaders).map(([name, value]) => [name.toLowerCase(), value])),
    },
    body: oauth2.tokenBody === "json" ? JSON.stringify(sent) : new URLSearchParams(sent).toString(),
    timeoutMs: limitMs,
  });
  const answer = parseAnswer(await response.text());
  const accessToken = textAt(answer, "access_token");
  const isRefused = !response.ok || at(answer, "ok") === false || at(answer, "error") !== undefined;
  if (!isRefused && accessToken !== undefined && accessToken !== "")
    return {
      accessToken,
      refreshToken: textAt(answer, "refresh_token") || undefined,
      expiresInSeconds: numberAt(answer, "expires_in"),
      scope: textAt(answer, "scope")?.slice(0, 10_000),
    };
  const { refresh_token, code, code_verifier } = parameters;
  const sentSecrets = [client.secret, refresh_token, code, code_verifier, Buffer.from(basic).toString("base64")];
  const tokens = [
    accessToken,
    textAt(answer, "refresh_token"),
    textAt(data, "accessToken"),
    textAt(data, "refreshToken"),
  ];
  const secrets = [...sentSecrets, ...tokens];
  throw failureOf({ provider, response, answer, secrets: secrets.filter((value) => value !== undefined) });
}

/** The client typed in for the credential, or that of the installation, whose secret goes to no address somebody typed in. */
export function clientOf(
  type: string,
  { clientName = type }: OAuth2,
  data: CredentialData,
  clients: OAuthClients,
): OAuthClient {
  if (typeof data.clientId === "string")
    return { id: data.clientId, secret: typeof data.clientSecret === "string" ? data.clientSecret : undefined };
  const shared =
    data.authorizeUrl === undefined && data.tokenUrl === undefined ? clients[nameInEnvironment(clientName)] : undefined;
  if (shared) return shared;
  throw new Refusal(
    "validation_failed",
    "The credential needs a client id: create a client at the provider and enter it.",
    {
      errors: [{ pointer: "/data/clientId", detail: "is required" }],
    },
  );
}

const nameInEnvironment = (type: string): string => type.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");

const deadGrants = new Set([
  ...["invalid_grant", "invalid_refresh_token", "bad_refresh_token", "token_revoked", "token_expired"],
  // HubSpot's older form.
  "BAD_REFRESH_TOKEN",
  // Microsoft's: somebody must sign in again, with a second factor or to agree to something.
  ...["interaction_required", "consent_required", "login_required"],
]);

/** Whether the provider will never again accept what it was sent. */
export function isDeadGrant(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const code = error.provider?.code ?? "";
  // The code says that the client may not refresh at all, unless the words are about the token: so does Atlassian.
  return deadGrants.has(code) || (code === "unauthorized_client" && /refresh[_ ]token/i.test(error.message));
}

/** Whether the next moment may bring another answer, unless the provider said that it will not. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Refusal) || error.provider?.retryAfterMs !== undefined) return false;
  const status = error.provider?.status ?? 0;
  return error.code === "provider_unreachable" || error.code === "outbound_timeout" || status >= 500 || status === 429;
}

const failuresWhenAsked = new Set<RefusalCode>(["provider_error", "provider_unreachable", "outbound_timeout"]);

/** Whether a provider was asked in vain, and not something amiss before it could be. */
export const wasAsked = (error: unknown): error is Refusal =>
  error instanceof Refusal &&
  (failuresWhenAsked.has(error.code) || (error.code === "outbound_refused" && error.effect !== "none"));

type Failure = { provider: string; response: Pick<Response, "status" | "headers">; answer: unknown; secrets: string[] };

function failureOf({ provider, response: { status, headers }, answer, secrets }: Failure): Refusal {
  const scrub = createScrub(secrets);
  const error = at(answer, "error");
  const code = textAt(error) ?? textAt(error, "code") ?? textAt(error, "type") ?? textAt(answer, "status");
  const message = textAt(answer, "error_description") ?? textAt(error, "message") ?? textAt(answer, "message");
  const failure = providerFailure(provider, {
    status,
    code: code === undefined ? undefined : scrub.text(code).slice(0, 100),
    message: message === undefined ? "no token was given" : scrub.text(message).slice(0, 300),
  });
  // The message is kept and shown later, when the provider's "try again in" would no longer be right.
  return new Refusal(failure.code, failure.message, {
    provider: { status, code: failure.provider?.code, retryAfterMs: readRetryAfterMs(headers) },
  });
}

/** JSON, or a form as GitHub sends it to those who do not ask. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const form = new URLSearchParams(text.trim());
    return form.has("access_token") || form.has("error") ? Object.fromEntries(form) : undefined;
  }
}
