import type { FastifyInstance } from "fastify";
import { createLastUse } from "../base/last-use.ts";
import { createCleanup } from "./cleanup.ts";
import { createConnections } from "./connections.ts";
import { createConsent } from "./consent.ts";
import { createConsentAccounts } from "./consent-accounts.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { createResources } from "./resources.ts";
import { oauthTables, touchClients } from "./store.ts";
import { createVerifyAccessToken } from "./verify-access-token.ts";

export type OAuth = ReturnType<typeof createOAuth>;

/** MCP clients that connect without a key: the user approves in the browser, the client gets a token for one server. */
export function createOAuth(options: OAuthOptions) {
  const { db, log, organizations, vault, servers, issuerUrl, resourceUrl } = options;
  const resources = createResources({ resourceUrl, servers });
  const consent = createConsent({ db, organizations, accounts: createConsentAccounts(vault), resources, issuerUrl });
  const accessTokens = createVerifyAccessToken({ db, log });
  const cleanup = createCleanup({ db, log });
  const tables = oauthTables(db);
  const lastUse = createLastUse({ log, what: "OAuth clients", write: (ids) => touchClients(tables, ids) });

  return {
    consent,
    connections: createConnections({ db }),
    verifyAccessToken: accessTokens.verify,
    cleanup,

    /** Opens everything of OAuth that is on the gateway. Other processes never load the library of the authorization server. */
    async register(server: FastifyInstance): Promise<void> {
      const { registerAuthorizationServer } = await import("./authorization-server.ts");
      await registerAuthorizationServer(server, { ...options, consent, resources, onTokenIssued: lastUse.note });
      cleanup.start();
    },

    async close(): Promise<void> {
      await cleanup.stop();
      await accessTokens.close();
      await lastUse.flush();
    },
  };
}
