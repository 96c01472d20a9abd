import type { FastifyInstance } from "fastify";
import { registerAuthorizationRoutes } from "./authorization-routes.ts";
import { registerBrowserRoutes } from "./browser-routes.ts";
import { createCallProvider } from "./call-provider.ts";
import type { Consent } from "./consent.ts";
import { createProvider } from "./create-provider.ts";
import { deriveKeys } from "./derive-keys.ts";
import { registerDiscoveryRoutes } from "./discovery.ts";
import { createNormaliseRequest } from "./normalise-request.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import type { Resources } from "./resources.ts";
import { oauthTables, saveClient } from "./store.ts";

type Options = OAuthOptions & { consent: Consent; resources: Resources; onTokenIssued: (clientId: string) => void };

/** The authorization server and how clients find it. */
export async function registerAuthorizationServer(server: FastifyInstance, options: Options): Promise<void> {
  const {
    consent,
    resources,
    issuerUrl,
    resourceUrl,
    consentUrlTemplate,
    log,
    tokenLimitPerMinute,
    registrationLimitPerHour,
  } = options;
  const parts = {
    provider: openProvider(options),
    normalise: createNormaliseRequest(resources),
    consent,
    issuerUrl,
    log,
  };
  registerDiscoveryRoutes(server, { issuerUrl, resourceUrl, resources });
  await registerAuthorizationRoutes(server, { ...parts, tokenLimitPerMinute, registrationLimitPerHour });
  await registerBrowserRoutes(server, {
    ...parts,
    consentUrlTemplate,
    authorizationLimitPerMinute: tokenLimitPerMinute,
  });
}

function openProvider(options: Options) {
  const { db, issuerUrl, cookieKey, previousCookieKeys } = options;
  const provider = createProvider({
    ...options,
    keys: deriveKeys(cookieKey, previousCookieKeys),
    async onConsentNeeded({ id, metadata, hasDocument }) {
      if (hasDocument)
        await saveClient(oauthTables(db), { id, kind: "metadata_document", metadata: JSON.stringify(metadata) });
    },
  });
  return createCallProvider(provider, issuerUrl);
}
