import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Log } from "../base/log.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Database } from "../storage/database.ts";
import { createAdapter } from "./adapter.ts";
import { createFetchMetadataDocument } from "./client-metadata-document.ts";
import { compareHashedSecrets } from "./client-secret.ts";
import type { OAuthKeys } from "./derive-keys.ts";
import { errorPage } from "./error-page.ts";
import { lifetimes } from "./lifetimes.ts";
import { makeRefreshRepeatable } from "./repeat-refresh.ts";
import type { Resources } from "./resources.ts";

export type ProviderOptions = {
  db: Database;
  log: Log;
  fetch: SafeFetch;
  keys: OAuthKeys;
  resources: Resources;
  issuerUrl: string;
  accessTokenLifetimeMs: number;
  /** Told of every request that now waits for a user. */
  onConsentNeeded: (client: { id: string; metadata: Record<string, unknown>; hasDocument: boolean }) => Promise<void>;
  onTokenIssued: (clientId: string) => void;
};

/** The library with everything switched off that MCP clients do not need. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuerUrl, keys, log } = options;
  const provider = new Provider(issuerUrl, configure(options));
  // What the library believes about proxies is what call-provider.ts tells it.
  provider.proxy = true;
  compareHashedSecrets(provider);
  makeRefreshRepeatable(provider, keys.successors);
  provider.on("grant.success", ({ oidc }) => void (oidc.client && options.onTokenIssued(oidc.client.clientId)));
  provider.on("grant.revoked", (_context, grantId) =>
    log.info({ connectionId: grantId }, "a connection was ended by its client or by reuse"),
  );
  return provider;
}

function configure(options: ProviderOptions): Configuration {
  const { db, fetch, keys, issuerUrl } = options;
  return {
    adapter: createAdapter(db),
    jwks: { keys: [keys.signing] },
    routes: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      registration: "/oauth/register",
      revocation: "/oauth/revoke",
      jwks: "/oauth/jwks",
    },
    cookies: configureCookies(keys, issuerUrl.startsWith("https://")),
    features: configureFeatures(options),
    interactions: { policy: askEveryTime(), url: consentAddress(options) },
    extraParams: ["requested_scope"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    clientDefaults: { id_token_signed_response_alg: "Ed25519" },
    enabledJWA: { idTokenSigningAlgValues: ["Ed25519"] },
    responseTypes: ["code"],
    pkce: { required: () => true },
    expiresWithSession: async () => false,
    issueRefreshToken: async () => true,
    rotateRefreshToken: requireGrantedResource,
    revokeGrantPolicy: () => true,
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    // Any page may call, as everywhere on the gateway: no cookie means anything at these endpoints.
    clientBasedCORS: () => true,
    fetch: createFetchMetadataDocument(fetch),
    renderError: async (context, { error, error_description: description }) => {
      context.type = "html";
      context.body = errorPage("This connection cannot be made", `${error}: ${description ?? "no more is known"}`);
    },
    ttl: configureLifetimes(options.accessTokenLifetimeMs),
  };
}

const configureLifetimes = (accessTokenLifetimeMs: number): Configuration["ttl"] => ({
  AccessToken: Math.ceil(accessTokenLifetimeMs / 1000),
  AuthorizationCode: lifetimes.code,
  RefreshToken: lifetimes.refreshToken,
  Grant: lifetimes.connection,
  Interaction: lifetimes.consentRequest,
  Session: lifetimes.consentRequest,
});

function configureCookies({ cookies }: OAuthKeys, secure: boolean): Configuration["cookies"] {
  // Not __Host-, which would take the path away that keeps two requests in one browser apart.
  const prefix = secure ? "__Secure-" : "";
  return {
    keys: cookies,
    names: {
      session: "switchyard_unused",
      interaction: `${prefix}switchyard_consent`,
      resume: `${prefix}switchyard_resume`,
    },
    short: { signed: true, httpOnly: true, sameSite: "lax", secure },
    long: { signed: true, httpOnly: true, sameSite: "lax", secure },
  };
}

function configureFeatures({ resources, accessTokenLifetimeMs }: ProviderOptions): Configuration["features"] {
  const off = { enabled: false };
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: "draft-02",
      cacheDuration: { min: 30, max: 3600 },
      allowFetch: onceForEachRequest(),
    },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: async () => true,
      async getResourceServerInfo({ oidc }, resource) {
        const server = resources.serverAt(resource);
        if (!server || (Array.isArray(oidc.params?.resource) && oidc.params.resource.length > 1))
          throw new errors.InvalidTarget("exactly one MCP server must be named");
        return {
          scope: server.scopes.join(" "),
          accessTokenFormat: "opaque",
          accessTokenTTL: Math.ceil(accessTokenLifetimeMs / 1000),
        };
      },
    },
  };
}

/** The library looks for a client again when it could not find it, and would fetch a slow document twice. */
function onceForEachRequest() {
  const seen = new WeakSet<KoaContextWithOIDC>();
  return async (context: KoaContextWithOIDC): Promise<boolean> => {
    if (seen.has(context)) return false;
    seen.add(context);
    return true;
  };
}

/** No session is kept, so the first check of the library always asks; the rest only makes the values of `prompt` known. */
function askEveryTime() {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: "select_account", requestable: true }));
  return policy;
}

function consentAddress({
  issuerUrl,
  onConsentNeeded,
}: ProviderOptions): NonNullable<Configuration["interactions"]>["url"] {
  return async ({ oidc }, { uid }) => {
    const { client } = oidc;
    if (!client) throw new Error("a request without a client waits for a user");
    const hasDocument = "clientIdMetadataDocument" in client;
    await onConsentNeeded({ id: client.clientId, metadata: client.metadata() as Record<string, unknown>, hasDocument });
    return `${issuerUrl}/oauth/consent/${uid}`;
  };
}

/** The last thing the library asks before it uses up the refresh token; afterwards a wrong resource would cost the connection. */
function requireGrantedResource({ oidc }: KoaContextWithOIDC): boolean {
  const wanted = oidc.params?.resource;
  if (wanted !== undefined && wanted !== oidc.entities.RefreshToken?.resource)
    throw new errors.InvalidTarget("this token is for another server");
  return true;
}
