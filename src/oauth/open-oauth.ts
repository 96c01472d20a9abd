import type { FastifyInstance } from "fastify";
import { createLastUse } from "../base/last-use.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ground } from "../ground/ground.ts";
import { createCleanup } from "./cleanup.ts";
import { createConnections } from "./connections.ts";
import { createConsent } from "./consent.ts";
import { createConsentAccounts } from "./consent-accounts.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { createResources, resourceServersOf } from "./resources.ts";
import { oauthTables, touchClients } from "./store.ts";
import { createVerifyAccessToken } from "./verify-access-token.ts";

export type OAuth = ReturnType<typeof openOAuth>;

type Needs = Pick<OAuthOptions, "organizations" | "vault"> & { catalog: Pick<Catalog, "providers"> };

/** MCP clients that connect without a key: the user approves in the browser, the client gets a token for one server. */
export function openOAuth({ db, log, config, cookieKey, outside }: Ground, { organizations, vault, catalog }: Needs) {
  const { issuerUrl, resourceUrl } = config.oauth;
  const servers = resourceServersOf(catalog);
  const resources = createResources({ resourceUrl, servers });
  const consent = createConsent({ db, organizations, accounts: createConsentAccounts(vault), resources, issuerUrl });
  const connections = createConnections({ db });
  const accessTokens = createVerifyAccessToken({ db, log });
  const cleanup = createCleanup({ db, log });
  const tables = oauthTables(db);
  const lastUse = createLastUse({ log, what: "OAuth clients", write: (ids) => touchClients(tables, ids) });
  const options = { ...config.oauth, db, log, fetch: outside.fetch, organizations, vault, servers, cookieKey };

  return {
    servers,
    consent,
    connections,
    verifyAccessToken: accessTokens.verify,
    cleanup,

    async register(server: FastifyInstance): Promise<void> {
      const { registerOAuthRoutes } = await import("./routes.ts");
      registerOAuthRoutes(server, { consent, connections });
    },

    /** Opens everything of OAuth that is on the gateway. Other processes never load the library of the authorization server. */
    async registerAtGateway(server: FastifyInstance): Promise<void> {
      const { registerAuthorizationServer } = await import("./authorization-server.ts");
      const { previousCookieKeys } = config;
      await registerAuthorizationServer(server, {
        ...options,
        previousCookieKeys,
        consent,
        resources,
        onTokenIssued: lastUse.note,
      });
      cleanup.start();
    },

    async stop(): Promise<void> {
      await cleanup.stop();
      await accessTokens.close();
      await lastUse.flush();
    },
  };
}
