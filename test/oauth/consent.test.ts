import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveKeys } from "../../src/oauth/derive-keys.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { createOAuthBrowser } from "../support/oauth/oauth-browser.ts";
import { connectClient, createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";

let oauth: OAuthApp;
beforeAll(async () => {
  oauth = await startOAuthApp();
});
afterAll(() => oauth.stop());

async function open({ metadata = {}, serverId = "platform", person = oauth.ann, browser = createOAuthBrowser() } = {}) {
  const { body } = await oauth.client.register({
    redirect_uris: [redirectUri],
    client_name: "Test client",
    ...metadata,
  });
  const [redirect_uri = ""] = body.redirect_uris as string[];
  const request = {
    response_type: "code",
    client_id: String(body.client_id),
    redirect_uri,
    resource: oauth.client.resourceOf(serverId),
  };
  const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
  return await openConsent(oauth.client.authorizeUrl({ ...request, ...challenge }), person, browser);
}
const approval = () => ({ approve: true, organizationId: oauth.ann.organizationId });
const refused = { status: 400, text: expect.stringContaining("This browser did not begin this connection") };

describe("the consent page", () => {
  it("learns who asks for what, and for whom one can approve", async () => {
    const { status, body } = await (await open()).read();
    expect(status).toBe(200);
    expect(body).toEqual({
      client: {
        name: "Test client",
        host: null,
        redirectHost: "localhost:8787",
        isLoopback: true,
        isSelfRegistered: true,
      },
      server: { id: "platform", title: "Switchyard", scopes: body.scopes, credentialType: null },
      servers: [],
      scopes: [
        { name: "platform:read", description: expect.stringMatching(/^Read /) },
        { name: "platform:write", description: expect.stringMatching(/^Turn /) },
      ],
      organizations: [{ id: oauth.ann.organizationId, name: "Ann's team", role: "owner", accounts: [] }],
      user: { name: "Ann", email: "ann@example.com" },
      expiresAt: expect.any(String),
    });
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 15 * 60_000)).toBeLessThan(10_000);
  });

  it.each([
    ["https://app.example:8443/cb", "app.example:8443", false],
    ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor:", false],
    ["http://[::1]:1234/cb", "[::1]:1234", true],
  ])("is told where %s leads", async (uri, redirectHost, isLoopback) => {
    const { body } = await (await open({ metadata: { redirect_uris: [uri] } })).read();
    expect(body.client).toMatchObject({ redirectHost, isLoopback });
  });

  it("gets the name as text on one line, and never a logo", async () => {
    const client_name = "<b>Bank\u202e</b>\n\u0007 of A";
    const { body } = await (await open({ metadata: { client_name, logo_uri: "https://app.example/logo.svg" } })).read();
    expect(body.client.name).toBe("<b>Bank </b> of A");
    expect(JSON.stringify(body)).not.toContain("logo");
  });

  it("is asked every time, also for the same client in the same browser", async () => {
    const browser = createOAuthBrowser();
    for (let count = 0; count < 2; count++) {
      const consent = await open({ browser });
      expect(consent.shown.location).toBe(`${oauth.app.platformUrl}/consent/${consent.uid}`);
      expect((await consent.answer(approval())).answer.get("code")).toHaveLength(43);
    }
    expect(browser.cookies().filter(({ name }) => name.includes("unused"))).toEqual([]);
  });

  it("answers nothing about a request that is unknown, finished or too old", async () => {
    const consent = await open();
    await consent.answer(approval());
    expectProblem(await oauth.ann.browser.get(`/api/oauth/consent-requests/${consent.uid}`), {
      status: 404,
      code: "not_found",
    });
    expectProblem(await oauth.ann.browser.get(`/api/oauth/consent-requests/${"A".repeat(43)}`), {
      status: 404,
      code: "not_found",
    });
    const old = await open();
    await oauth.app.database.query("UPDATE oauth_token SET expires_at = now() WHERE model = 'Interaction'");
    expectProblem(await old.decide(approval()), { status: 404, code: "not_found" });
  });

  it("and what leads to it cannot be framed, cached or leaked", async () => {
    const consent = await open();
    const failed = await createOAuthBrowser().get(`${oauth.app.gatewayUrl}/oauth/authorize?client_id=unknown`);
    for (const { headers } of [consent.started, consent.shown, failed]) {
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      const others = ["x-frame-options", "cache-control", "referrer-policy"].map((name) => headers.get(name));
      expect(others).toEqual(["DENY", "no-store", "no-referrer"]);
    }
  });
});

describe("a decision", () => {
  it("to narrow what is granted gives a token with that, and says so", async () => {
    const { tokens, mcp } = await connectClient(oauth.client, oauth.ann, {
      serverId: "platform",
      scopes: ["platform:read"],
    });
    expect(tokens.scope).toBe("platform:read");
    expect((await mcp.modern("platform", "tools/call", { name: "platform_get_me", arguments: {} })).status).toBe(200);
    const write = { name: "platform_set_trigger_active", arguments: { triggerId: crypto.randomUUID(), active: true } };
    const { status, headers } = await mcp.modern("platform", "tools/call", write);
    expect([status, headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringMatching(/^Bearer error="insufficient_scope", scope="platform:write", /),
    ]);
  });

  it("cannot grant more than was asked for", async () => {
    const consent = await open({ serverId: "slack" });
    expectProblem(await consent.decide({ ...approval(), scopes: ["platform:write"] }), {
      status: 400,
      code: "validation_failed",
    });
  });

  it("for an organization one does not belong to is refused, whether it exists or not", async () => {
    const bob = await signUpOwner(oauth.app, "Bob");
    const consent = await open();
    for (const organizationId of [bob.organizationId, crypto.randomUUID()])
      expectProblem(await consent.decide({ approve: true, organizationId }), { status: 403, code: "role_required" });
    expectProblem(await consent.decide({ approve: true }), { status: 400, code: "validation_failed" });
  });

  it("of a viewer lets a client read, and call nothing", async () => {
    const viewer = await signUpMember(oauth.app, oauth.ann.organizationId, "Vera", "viewer");
    const person = { ...viewer, organizationId: oauth.ann.organizationId };
    expect((await connectClient(oauth.client, person, { serverId: "platform" })).tokens.scope).toBe("platform:read");
    const consent = await open({ serverId: "slack", person });
    expectProblem(await consent.decide(approval()), { status: 403, code: "role_required" });
  });

  it("needs our own page and a session, and GET decides nothing", async () => {
    const { uid } = await open();
    const path = `/api/oauth/consent-requests/${uid}/decision`;
    const cookie = [...oauth.ann.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const send = (method: string, headers: Record<string, string>) =>
      fetch(oauth.app.platformUrl + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(method === "POST" ? { body: JSON.stringify(approval()) } : {}),
      });
    expect((await send("POST", { cookie, origin: "https://evil.example" })).status).toBe(403);
    expect((await send("POST", { cookie })).status).toBe(403);
    expect((await send("POST", { origin: oauth.app.platformUrl })).status).toBe(401);
    expect((await send("GET", { cookie })).status).toBe(405);
    expect((await fetch(`${oauth.app.platformUrl}/api/oauth/consent-requests/${uid}`)).status).toBe(401);
  });
});

describe("the way back", () => {
  it("is closed to another browser, and stays open for the one that began", async () => {
    const consent = await open();
    const { redirectTo } = (await consent.decide(approval())).body;
    expect(await createOAuthBrowser().get(redirectTo)).toMatchObject(refused);
    expect((await consent.finish(redirectTo)).answer.get("code")).toHaveLength(43);
  });

  it("takes each ticket once, in time, and for its own request", async () => {
    const [first, second, late] = [await open(), await open(), await open()];
    const { redirectTo } = (await first.decide(approval())).body;
    const ticket = redirectTo.split("ticket=")[1];
    expect(
      await second.browser.get(`${oauth.app.gatewayUrl}/oauth/consent/${second.uid}/finish?ticket=${ticket}`),
    ).toMatchObject(refused);
    expect(await first.browser.get(redirectTo.replace(/ticket=.*/, "ticket=guess"))).toMatchObject(refused);
    expect(await first.browser.get(redirectTo.replace(/\?.*/, ""))).toMatchObject(refused);
    expect((await first.browser.get(redirectTo)).status).toBe(303);
    expect(await first.browser.get(redirectTo)).toMatchObject(refused);
    const tooLate = (await late.decide(approval())).body.redirectTo;
    await oauth.app.database.query("UPDATE consent_ticket SET expires_at = now()");
    expect(await late.browser.get(tooLate)).toMatchObject(refused);
  });

  it("is there for two tabs at once, and for another person in the same browser", async () => {
    const browser = createOAuthBrowser();
    const member = await signUpMember(oauth.app, oauth.ann.organizationId, "Mona", "member");
    const person = { ...member, organizationId: oauth.ann.organizationId };
    const [one, two] = [await open({ browser }), await open({ browser, person })];
    const answers = [await two.answer(approval()), await one.answer(approval())];
    expect(answers.map(({ answer }) => answer.get("code")?.length)).toEqual([43, 43]);
  });

  it("ends when the user left the organization after deciding", async () => {
    const member = await signUpMember(oauth.app, oauth.ann.organizationId, "Leo", "member");
    const consent = await open({ person: { ...member, organizationId: oauth.ann.organizationId } });
    const { redirectTo } = (await consent.decide(approval())).body;
    await oauth.ann.browser.delete(`/api/organizations/${oauth.ann.organizationId}/members/${member.memberId}`);
    expect(await consent.browser.get(redirectTo)).toMatchObject(refused);
  });
});

describe("cookies", () => {
  it("are signed, out of reach for scripts, and only for their own request", async () => {
    const { browser, uid } = await open();
    expect(
      browser
        .cookies()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["switchyard_consent", "switchyard_consent.sig", "switchyard_resume", "switchyard_resume.sig"]);
    for (const { path, attributes } of browser.cookies()) {
      expect(path.endsWith(`/${uid}`)).toBe(true);
      expect(attributes.map((attribute) => attribute.toLowerCase())).toEqual(
        expect.arrayContaining(["httponly", "samesite=lax"]),
      );
    }
  });

  it("with a wrong signature count for nothing", async () => {
    const consent = await open();
    const { redirectTo } = (await consent.decide(approval())).body;
    const forged = { cookie: `switchyard_consent=${consent.uid}; switchyard_consent.sig=${"A".repeat(27)}` };
    expect(await createOAuthBrowser().get(redirectTo, forged)).toMatchObject(refused);
  });

  it("signed with an earlier key still count", async () => {
    const [current, earlier] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const environment = {
      SWITCHYARD_COOKIE_KEY: current.toString("base64"),
      SWITCHYARD_COOKIE_KEY_PREVIOUS: earlier.toString("base64"),
    };
    const rotated = await startOAuthApp({ environment });
    try {
      const { body } = await rotated.client.register({ redirect_uris: [redirectUri] });
      const request = {
        response_type: "code",
        client_id: String(body.client_id),
        redirect_uri: redirectUri,
        resource: rotated.client.resourceOf("slack"),
      };
      const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
      const consent = await openConsent(rotated.client.authorizeUrl({ ...request, ...challenge }), rotated.ann);
      const { redirectTo } = (await consent.decide({ approve: true, organizationId: rotated.ann.organizationId })).body;
      const sign = (key: string) =>
        createHmac("sha1", key).update(`switchyard_consent=${consent.uid}`).digest("base64url");
      const cookieOf = (key: Buffer) =>
        `switchyard_consent=${consent.uid}; switchyard_consent.sig=${sign(deriveKeys(key, []).cookies[0] ?? "")}`;
      expect((await createOAuthBrowser().get(redirectTo, { cookie: cookieOf(Buffer.alloc(32, 3)) })).status).toBe(400);
      expect((await createOAuthBrowser().get(redirectTo, { cookie: cookieOf(earlier) })).status).toBe(303);
    } finally {
      await rotated.stop();
    }
  });
});
