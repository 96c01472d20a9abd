import type { Browser } from "../browser-client.ts";
import { openConsent, redirectUri } from "./oauth-client.ts";

type Person = { browser: Browser; organizationId: string };

/** What the clients of the SDK ask of an application: it keeps everything in memory, and its user always approves. */
export function createApprovingProvider(person: Person, clientMetadataUrl?: string) {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; discovery?: unknown; answer?: URLSearchParams } =
    {};
  let consents = 0;
  return {
    kept,
    consents: () => consents,
    provider: {
      redirectUrl: redirectUri,
      ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
      clientMetadata: {
        client_name: "SDK client",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
      },
      clientInformation: () => kept.client as { client_id: string } | undefined,
      saveClientInformation(client: unknown) {
        kept.client = client;
      },
      tokens: () => kept.tokens as { access_token: string; token_type: string } | undefined,
      saveTokens(tokens: unknown) {
        kept.tokens = tokens;
      },
      saveCodeVerifier(verifier: string) {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier ?? "",
      saveDiscoveryState(state: unknown) {
        kept.discovery = state;
      },
      discoveryState: () => kept.discovery as never,
      async redirectToAuthorization(url: URL) {
        consents++;
        const consent = await openConsent(url.href, person);
        kept.answer = (await consent.answer({ approve: true, organizationId: person.organizationId })).answer;
      },
    },
  };
}
