import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient, createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";

let oauth: OAuthApp;
let path: string;
beforeAll(async () => {
  oauth = await startOAuthApp();
  path = `/api/organizations/${oauth.ann.organizationId}/connections`;
});
afterAll(() => oauth.stop());

const connect = (serverId = "slack") => connectClient(oauth.client, oauth.ann, { serverId });
const works = async (token: string) => (await oauth.client.use(token).modern("slack", "tools/list")).status === 200;

describe("a client may revoke", () => {
  it.each(["access_token", "refresh_token"] as const)("its %s, which ends the connection at once", async (kind) => {
    const { tokens, clientId, refresh } = await connect();
    const { status, headers } = await oauth.client.revoke({
      token: tokens[kind],
      client_id: clientId,
      token_type_hint: kind,
    });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await works(tokens.access_token)).toBe(false);
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("an unknown token, which changes nothing", async () => {
    const { tokens, clientId } = await connect();
    expect((await oauth.client.revoke({ token: "unknown", client_id: clientId })).status).toBe(200);
    expect(await works(tokens.access_token)).toBe(true);
  });

  it("no token of another client", async () => {
    const { tokens } = await connect();
    const other = (await oauth.client.register({ redirect_uris: [redirectUri] })).body.client_id as string;
    expect((await oauth.client.revoke({ token: tokens.refresh_token, client_id: other })).status).toBe(200);
    expect((await oauth.client.revoke({ token: tokens.refresh_token, client_id: "unknown" })).status).toBe(401);
    expect(await works(tokens.access_token)).toBe(true);
  });
});

describe("the connected applications", () => {
  it("are listed with who, what and since when, and end with one click", async () => {
    const { tokens, refresh, mcp } = await connect();
    const { body } = await oauth.ann.browser.get(path);
    const [newest] = body.data;
    expect(newest).toEqual({
      id: expect.any(String),
      clientName: "Test client",
      clientHost: null,
      credentialId: null,
      serverId: "slack",
      scopes: ["mcp:invoke"],
      user: { id: oauth.ann.userId, name: "Ann", email: "ann@example.com" },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
    });
    expect((await mcp.modern("slack", "tools/list")).status).toBe(200);
    expect((await oauth.ann.browser.delete(`${path}/${newest.id}`)).status).toBe(204);
    expect(await works(tokens.access_token)).toBe(false);
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expectProblem(await oauth.ann.browser.delete(`${path}/${newest.id}`), { status: 404, code: "not_found" });
  });

  it("of others are seen and ended by admins only", async () => {
    const { organizationId } = oauth.ann;
    const [mona, adam] = [
      await signUpMember(oauth.app, organizationId, "Mona", "member"),
      await signUpMember(oauth.app, organizationId, "Adam", "admin"),
    ];
    await connect();
    await connectClient(oauth.client, { ...mona, organizationId }, { serverId: "github" });
    const listed = async (person: { browser: typeof mona.browser }) =>
      (await person.browser.get(path)).body.data as { id: string; user: { name: string } }[];
    expect(new Set((await listed(mona)).map(({ user }) => user.name))).toEqual(new Set(["Mona"]));
    const all = await listed(adam);
    expect(new Set(all.map(({ user }) => user.name))).toEqual(new Set(["Ann", "Mona"]));
    const [anns, monas] = ["Ann", "Mona"].map((name) => all.find(({ user }) => user.name === name)?.id);
    expectProblem(await mona.browser.delete(`${path}/${anns}`), { status: 404, code: "not_found" });
    expect((await adam.browser.delete(`${path}/${monas}`)).status).toBe(204);
    expect(await listed(mona)).toEqual([]);
  });

  it("of another organization do not exist", async () => {
    const bob = await signUpOwner(oauth.app, "Bob");
    await connect();
    const [first] = (await oauth.ann.browser.get(path)).body.data;
    expectProblem(await bob.browser.get(path), { status: 404, code: "not_found" });
    const own = `/api/organizations/${bob.organizationId}/connections`;
    expectProblem(await bob.browser.delete(`${own}/${first.id}`), { status: 404, code: "not_found" });
    expect((await bob.browser.get(own)).body.data).toEqual([]);
  });

  it("are not those whose client never fetched a token", async () => {
    const before = (await oauth.ann.browser.get(path)).body.data.length;
    const { body } = await oauth.client.register({ redirect_uris: [redirectUri] });
    const request = {
      response_type: "code",
      client_id: String(body.client_id),
      redirect_uri: redirectUri,
      resource: oauth.client.resourceOf("slack"),
    };
    const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
    const consent = await openConsent(oauth.client.authorizeUrl({ ...request, ...challenge }), oauth.ann);
    await consent.answer({ approve: true, organizationId: oauth.ann.organizationId });
    expect((await oauth.ann.browser.get(path)).body.data).toHaveLength(before);
  });
});

it("keeps no token, code, ticket or secret in the database as it is", async () => {
  const registered = (
    await oauth.client.register({ redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_post" })
  ).body;
  const { tokens, code, refresh } = await connect();
  const { body: renewed } = await refresh(tokens.refresh_token);
  const request = {
    response_type: "code",
    client_id: String(registered.client_id),
    redirect_uri: redirectUri,
    resource: oauth.client.resourceOf("slack"),
  };
  const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
  const open = await openConsent(oauth.client.authorizeUrl({ ...request, ...challenge }), oauth.ann);
  const ticket = (await open.decide({ approve: true, organizationId: oauth.ann.organizationId })).body.redirectTo.split(
    "ticket=",
  )[1];
  const secrets = [
    ...[tokens, renewed].flatMap((one) => [one.access_token, one.refresh_token]),
    code,
    ticket,
    open.uid,
    String(registered.client_secret),
  ];
  const tables = await oauth.app.database.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const dump: string[] = [];
  for (const { table_name } of tables)
    dump.push(JSON.stringify(await oauth.app.database.query(`SELECT row::text FROM "${table_name}" row`)));
  expect(dump.join()).toContain(String(registered.client_id));
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    for (const form of [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64")])
      expect(dump.join()).not.toContain(form);
  }
});
