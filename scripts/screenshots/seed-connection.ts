import type { Browser } from "../../test/support/browser-client.ts";
import { createChallenge, createOAuthClient, openConsent, redirectUri } from "../../test/support/oauth/oauth-client.ts";

type Person = { browser: Browser; organizationId: string };

/** An application that a person let act for them; gives the address at which a second one asks. */
export async function seedConnection(gatewayUrl: string, { browser, organizationId }: Person): Promise<string> {
  const client = createOAuthClient(gatewayUrl);
  const { verifier, challenge } = createChallenge();

  async function ask(clientName: string, serverId: string) {
    const metadata = { client_name: clientName, redirect_uris: [redirectUri] };
    const clientId = String((await client.register(metadata)).body.client_id);
    const url = client.authorizeUrl({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      state: "example",
      resource: client.resourceOf(serverId),
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    return { url, clientId };
  }

  const first = await ask("Claude Code", "github");
  const consent = await openConsent(first.url, { browser });
  const { answer } = await consent.answer({ approve: true, organizationId });
  const exchange = { grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri: redirectUri };
  await client.token({ ...exchange, client_id: first.clientId, code_verifier: verifier });
  return (await ask("Cursor", "github")).url;
}
