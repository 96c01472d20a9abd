import { afterAll, beforeAll, expect, it } from "vitest";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient } from "../support/oauth/oauth-client.ts";

let oauth: OAuthApp;
beforeAll(async () => {
  oauth = await startOAuthApp();
});
afterAll(() => oauth.stop());

it("refuses the token of every server at every other server", { timeout: 120_000 }, async () => {
  const { data } = (await (await fetch(`${oauth.app.gatewayUrl}/servers`)).json()) as { data: { id: string }[] };
  const serverIds = data.map(({ id }) => id);
  expect(serverIds.toSorted()).toEqual(onDisk.serverIds);
  const clientId = String(
    (await oauth.client.register({ redirect_uris: ["http://localhost:8787/callback"] })).body.client_id,
  );
  for (const own of serverIds) {
    const { mcp } = await connectClient(oauth.client, oauth.ann, { serverId: own, clientId });
    const answers = await Promise.all(serverIds.map(async (id) => ({ id, ...(await mcp.modern(id, "tools/list")) })));
    expect(answers.filter(({ status }) => status === 200).map(({ id }) => id)).toEqual([own]);
    const refused = answers.filter(({ id }) => id !== own);
    expect(
      refused.every(
        ({ status, headers }) =>
          status === 401 && headers.get("www-authenticate")?.startsWith('Bearer error="invalid_token"'),
      ),
    ).toBe(true);
  }
});
