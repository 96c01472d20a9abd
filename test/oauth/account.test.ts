import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ConsentDecision } from "../../src/oauth/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient, createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { signUpOwner } from "../support/people.ts";

let oauth: OAuthApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
beforeAll(async () => {
  oauth = await startOAuthApp();
  bob = await signUpOwner(oauth.app, "Bob");
});
afterAll(() => oauth.stop());
beforeEach(() => oauth.app.database.query("DELETE FROM credential"));

const save = (name: string, { type = "github", organizationId = oauth.ann.organizationId, makeDefault = false } = {}) =>
  oauth.app.parts.vault.credentials.create(organizationId, {
    type,
    name,
    data: { kind: "bearer", accessToken: "canary-token" },
    createdBy: null,
    makeDefault,
  });

async function open(serverId: string | undefined) {
  const { body } = await oauth.client.register({ redirect_uris: [redirectUri], client_name: "Test client" });
  const resource = serverId === undefined ? undefined : oauth.client.resourceOf(serverId);
  const request = { response_type: "code", client_id: String(body.client_id), redirect_uri: redirectUri, resource };
  const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
  return await openConsent(oauth.client.authorizeUrl({ ...request, ...challenge }), oauth.ann);
}

const approval = (rest: Partial<ConsentDecision>) => ({
  approve: true,
  organizationId: oauth.ann.organizationId,
  ...rest,
});
const connect = (credentialId?: string) =>
  connectClient(oauth.client, oauth.ann, { serverId: "github", ...(credentialId ? { credentialId } : {}) });

/** The account a call was made with, or why there was none. */
async function call({ mcp }: Awaited<ReturnType<typeof connect>>, credentials?: Record<string, string>) {
  const given = { owner: "acme", repo: "site", title: "Hello", ...(credentials ? { credentials } : {}) };
  const { json } = await mcp.modern("github", "tools/call", { name: "github_create_issue", arguments: given });
  const [last] = (await oauth.ann.browser.get(`/api/organizations/${oauth.ann.organizationId}/tool-calls?limit=1`)).body
    .data;
  const record = (await oauth.ann.browser.get(`/api/organizations/${oauth.ann.organizationId}/tool-calls/${last.id}`))
    .body;
  return { used: record.credentials, code: json.result?._meta["switchyard/error"]?.code };
}

describe("the consent page", () => {
  it("learns which accounts the application could use, and which one calls use anyway", async () => {
    const chosen = await save("Main", { makeDefault: true });
    const other = await save("Second");
    await save("A Slack account", { type: "slack" });
    await save("Account of Bob", { organizationId: bob.organizationId });
    const { body } = await (await open("github")).read();
    expect(body.server).toMatchObject({ id: "github", credentialType: "github" });
    expect(body.organizations).toMatchObject([
      {
        id: oauth.ann.organizationId,
        accounts: [
          { id: other.id, name: "Second", type: "github", isDefault: false },
          { id: chosen.id, name: "Main", type: "github", isDefault: true },
        ],
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/Slack account|Bob|canary/);
  });

  it("learns of no account for a server that needs none, and of those of every server when none was named", async () => {
    await save("Main");
    await save("A Slack account", { type: "slack" });
    const { body } = await (await open("platform")).read();
    expect([body.server?.credentialType, body.organizations[0]?.accounts]).toEqual([null, []]);
    const unnamed = (await (await open(undefined)).read()).body.organizations[0]?.accounts;
    expect(unnamed?.map(({ name }) => name)).toEqual(["A Slack account", "Main"]);
  });
});

describe("an application", () => {
  it("uses the account that was chosen for it, before the default of the organization, and names its own if it likes", async () => {
    const main = await save("Main", { makeDefault: true });
    const second = await save("Second");
    const [chosen, unchosen] = [await connect(second.id), await connect()];
    expect((await call(chosen)).used).toEqual({ github: second.reference });
    expect((await call(unchosen)).used).toEqual({ github: main.reference });
    expect((await call(chosen, { github: main.reference })).used).toEqual({ github: main.reference });
    const { body } = await oauth.ann.browser.get(`/api/organizations/${oauth.ann.organizationId}/connections`);
    expect(body.data.slice(0, 2).map(({ credentialId }: { credentialId: string | null }) => credentialId)).toEqual([
      null,
      second.id,
    ]);
  });

  it("keeps the choice over a refresh, and needs no default of the organization", async () => {
    const second = await save("Second");
    const connected = await connect(second.id);
    const { body } = await connected.refresh(connected.tokens.refresh_token);
    expect((await call({ ...connected, mcp: oauth.client.use(body.access_token) })).used).toEqual({
      github: second.reference,
    });
    const { json } = await connected.mcp.modern("github", "tools/list", {});
    for (const { inputSchema } of json.result?.tools ?? []) expect(inputSchema.required).not.toContain("credentials");
  });

  it("never goes over to another account when the chosen one is deleted", async () => {
    await save("Main", { makeDefault: true });
    const second = await save("Second");
    const connected = await connect(second.id);
    await oauth.app.parts.vault.credentials.remove({
      organizationId: oauth.ann.organizationId,
      credentialId: second.id,
    });
    expect(await call(connected)).toMatchObject({ code: "credential_not_accessible" });
  });

  it("is given no account of another organization, of another type, or that does not exist", async () => {
    const foreign = await save("Account of Bob", { organizationId: bob.organizationId });
    const slack = await save("A Slack account", { type: "slack" });
    const unknown = "0198a5c2-0000-7000-8000-000000000001";
    for (const credentialId of [foreign.id, unknown]) {
      const problem = expectProblem(await (await open("github")).decide(approval({ credentialId })), { status: 403 });
      expect(problem.code).toBe("credential_not_accessible");
    }
    const wrong = await (await open("github")).decide(approval({ credentialId: slack.id }));
    expectProblem(wrong, { status: 400, code: "credential_type_mismatch" });
    const needless = await (await open("platform")).decide(approval({ credentialId: slack.id }));
    expect(expectProblem(needless, { status: 400, code: "validation_failed" }).errors?.[0]?.pointer).toBe(
      "/credentialId",
    );
  });
});
