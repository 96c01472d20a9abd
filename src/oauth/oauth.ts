import type { FastifyInstance } from "fastify";
import { createLastUse } from "../base/last-use.ts";
import type { Log } from "../base/log.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Organizations } from "../identity/organizations.ts";
import type { Database } from "../storage/database.ts";
import { registerAuthorizationRoutes } from "./authorization-routes.ts";
import { registerBrowserRoutes } from "./browser-routes.ts";
import { createCallProvider } from "./call-provider.ts";
import { createCleanup } from "./cleanup.ts";
import { createConnections } from "./connections.ts";
import { createConsent } from "./consent.ts";
import { createProvider } from "./create-provider.ts";
import { deriveKeys } from "./derive-keys.ts";
import { registerDiscoveryRoutes } from "./discovery.ts";
import { createNormaliseRequest } from "./normalise-request.ts";
import { createResources, type ResourceServer } from "./resources.ts";
import { oauthTables, saveClient, touchClients } from "./store.ts";
import { createVerifyAccessToken } from "./verify-access-token.ts";

export type OAuth = ReturnType<typeof createOAuth>;

export type OAuthSettings = {
  issuerUrl: string;
  resourceUrl: string;
  consentUrlTemplate: string;
  accessTokenLifetimeMs: number;
  tokenLimitPerMinute: number;
  registrationLimitPerHour: number;
};

type Options = OAuthSettings & {
  db: Database;
  log: Log;
  fetch: SafeFetch;
  organizations: Organizations;
  servers: ResourceServer[];
  cookieKey: Buffer;
  previousCookieKeys: Buffer[];
};

/** MCP clients that connect without a key: the user approves in the browser, the client gets a token for one server. */
export function createOAuth(options: Options) {
  const { db, log, organizations, servers, issuerUrl, resourceUrl } = options;
  const resources = createResources({ resourceUrl, servers });
  const consent = createConsent({ db, organizations, resources, issuerUrl });
  const accessTokens = createVerifyAccessToken({ db, log });
  const cleanup = createCleanup({ db, log });
  const tables = oauthTables(db);
  const lastUse = createLastUse({ log, what: "OAuth clients", write: (ids) => touchClients(tables, ids) });

  /** The authorization server itself. Only the gateway opens it. */
  function openProvider() {
    const keys = deriveKeys(options.cookieKey, options.previousCookieKeys);
    const provider = createProvider({
      ...{ db, log, fetch: options.fetch, keys, resources, issuerUrl, accessTokenLifetimeMs: options.accessTokenLifetimeMs },
      onTokenIssued: lastUse.note,
      async onConsentNeeded({ id, metadata, hasDocument }) {
        if (hasDocument) await saveClient(tables, { id, kind: "metadata_document", metadata: JSON.stringify(metadata) });
      },
    });
    return createCallProvider(provider, issuerUrl);
  }

  return {
    consent,
    connections: createConnections({ db }),
    verifyAccessToken: accessTokens.verify,
    cleanup,

    /** Opens everything of OAuth that is on the gateway. */
    async register(server: FastifyInstance): Promise<void> {
      const parts = { provider: openProvider(), normalise: createNormaliseRequest(resources), consent, issuerUrl, log };
      const { tokenLimitPerMinute, registrationLimitPerHour, consentUrlTemplate } = options;
      registerDiscoveryRoutes(server, { issuerUrl, resourceUrl, resources });
      await registerAuthorizationRoutes(server, { ...parts, tokenLimitPerMinute, registrationLimitPerHour });
      await registerBrowserRoutes(server, { ...parts, consentUrlTemplate, authorizationLimitPerMinute: tokenLimitPerMinute });
      cleanup.start();
    },

    async close(): Promise<void> {
      await cleanup.stop();
      await accessTokens.close();
      await lastUse.flush();
    },
  };
}
