import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { examineFrom } from "../../src/doctor/doctor.ts";
import type { Report, StepId } from "../../src/doctor/wire.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { freePort } from "../support/free-port.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/providers/faulty-proxy.ts";
import { answering, proxyFaults, removingHeader, rewriting } from "../support/providers/proxy-faults.ts";
import { runSwitchyard } from "../support/spawned-server.ts";

let proxy: FaultyProxy;
let oauth: OAuthApp;
let key: string;
let url: string;

/** The gateway's public address is that of the proxy, as on a real installation. */
beforeAll(async () => {
  proxy = await startFaultyProxy();
  const port = await freePort();
  oauth = await startOAuthApp({ environment: { MCP_API_PORT: String(port), MCP_API_BASE_URL: proxy.url } });
  proxy.forwardTo(`http://localhost:${port}`);
  ({ key } = await oauth.app.parts.identity.apiKeys.create(oauth.ann.organizationId, {
    name: "test",
    scopes: ["mcp:invoke"],
    createdBy: null,
  }));
  url = `${proxy.url}/system/mcp`;
});
afterAll(async () => {
  await oauth?.stop();
  proxy?.close();
});
beforeEach(() => proxy.plant({}));

const outcomes = ({ steps }: Report) => Object.fromEntries(steps.map(({ id, outcome }) => [id, outcome]));
describe("the doctor", () => {
  it("finds every hop of a sound installation in order", async () => {
    const report = await examineFrom({ url, key });
    expect(report.steps.filter(({ outcome }) => outcome !== "ok").map(({ id }) => id)).toEqual(["exchange"]);
    expect(report).toMatchObject({ url, healthy: true, brokenStep: null });
    expect(report.steps.map(({ fix, fault }) => [fix, fault])).toEqual(report.steps.map(() => [null, null]));
    expect(JSON.stringify(report)).not.toContain(key);
  });

  it("leaves out the tools without a key, and registers a client that goes by itself", async () => {
    expect(outcomes(await examineFrom({ url }))).toMatchObject({ tools: "skipped", token: "ok" });
    const kept = await oauth.app.database.query(
      "SELECT id FROM oauth_client WHERE metadata::text LIKE '%connection doctor%'",
    );
    expect(kept.length).toBeGreaterThan(0);
    await oauth.app.database.query(
      "UPDATE oauth_client SET created_at = now() - interval '25 hours', last_used_at = NULL",
    );
    await oauth.app.parts.oauth.cleanup.run();
    expect(
      await oauth.app.database.query("SELECT id FROM oauth_client WHERE metadata::text LIKE '%connection doctor%'"),
    ).toEqual([]);
  });

  it("follows an issuer that has a path of its own", async () => {
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const other = await startOAuthApp({
      environment: { MCP_API_PORT: String(port), MCP_OAUTH_ISSUER_URL: `${base}/auth`, MCP_OAUTH_RESOURCE_URL: base },
    });
    try {
      const report = await examineFrom({ url: `${base}/notion/mcp` });
      expect(report).toMatchObject({ healthy: true });
      expect(report.steps.find(({ id }) => id === "issuer")?.seen).toContain(`issuer: ${base}/auth`);
    } finally {
      await other.stop();
    }
  });

  it.each(Object.entries(proxyFaults))("names the hop when the proxy %s", async (_, { hop, fault, fix, plant }) => {
    proxy.plant(plant({ publicUrl: proxy.url, url, key }));
    const report = await examineFrom({ url, key });
    expect(report).toMatchObject({ healthy: false, brokenStep: hop });
    const step = report.steps.find(({ id }) => id === hop);
    expect(step).toMatchObject({
      outcome: "broken",
      fault,
      fix: expect.stringMatching(fix),
      seen: expect.stringMatching(/./),
    });
  });

  it("tells a missing server, a bad certificate and a bad key apart", async () => {
    const step = async (given: Parameters<typeof examineFrom>[0], id: StepId) =>
      (await examineFrom(given)).steps.find((one) => one.id === id);
    expect(await step({ url: `http://localhost:${await freePort()}/system/mcp` }, "reach")).toMatchObject({
      fault: "unreachable",
    });
    expect(await step({ url: `${proxy.tlsUrl}/system/mcp` }, "reach")).toMatchObject({
      fault: "tls",
      fix: expect.stringContaining("certificate"),
    });
    expect(await step({ url: "http://nothing.invalid/mcp" }, "reach")).toMatchObject({ fault: "unreachable" });
    expect(await step({ url, key: "swy_nonsense" }, "tools")).toMatchObject({ fault: "key_refused" });
    expect(await step({ url: `${proxy.url}/platform/mcp`, key }, "tools")).toMatchObject({ fault: "key_refused" });
  });
});

describe("the doctor of the API", () => {
  it("checks this installation for whoever is signed in", async () => {
    const { body } = await oauth.ann.browser.get("/api/doctor/servers");
    expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(onDisk.serverIds);
    expect(body.data).toContainEqual({ id: "system", title: "System", url });
    // In the package it is switchyard, as test/platforms/package.test.ts sees it.
    expect(body.commandLine).toBe("npm run -s cli --");
    const answer = await oauth.ann.browser.post("/api/doctor", { url });
    expect(answer.body).toMatchObject({ healthy: true, brokenStep: null });
    expectProblem(await oauth.app.browser().post("/api/doctor", { url }), { status: 401, code: "not_signed_in" });
  });

  it("approves in the name of who asks, uses the token once and leaves no connection", async () => {
    const { organizationId, browser } = oauth.ann;
    for (const address of [url, `${proxy.url}/platform/mcp`]) {
      const { body } = await browser.post("/api/doctor", { url: address, organizationId });
      expect((body as Report).steps.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    }
    proxy.plant({ changeRequest: (headers) => void delete headers.cookie });
    const { body } = await browser.post("/api/doctor", { url, organizationId });
    expect(body).toMatchObject({ brokenStep: "exchange" });
    expect((body as Report).steps.find(({ id }) => id === "exchange")).toMatchObject({ fault: "cookie_missing" });
    proxy.plant(answering(/^\/oauth\/authorize\/./, { status: 502 }));
    expect((await browser.post("/api/doctor", { url, organizationId })).body).toMatchObject({ brokenStep: "exchange" });
    expect((await browser.get(`/api/organizations/${organizationId}/connections`)).body.data).toEqual([]);
  });

  it("says which account a call would use, that none would be found, or that it does not work", async () => {
    const ellen = await signUpOwner(oauth.app, "Ellen");
    const address = `${proxy.url}/github/mcp`;
    const examine = async () => {
      const { body } = await ellen.browser.post("/api/doctor", { url: address, organizationId: ellen.organizationId });
      expect(body).toMatchObject({ healthy: true, brokenStep: null });
      return (body as Report).steps.find(({ id }) => id === "account");
    };
    expect(await examine()).toMatchObject({
      outcome: "warning",
      seen: "a call that names no account is refused",
      fix: expect.stringContaining("make it the default"),
    });
    const request = {
      type: "github",
      name: "Main",
      data: { kind: "bearer", accessToken: "canary-token" },
      makeDefault: true,
    };
    const { body } = await ellen.browser.post(`/api/organizations/${ellen.organizationId}/credentials`, request);
    expect(await examine()).toMatchObject({
      outcome: "ok",
      seen: 'a call that names no account uses "Main"',
      fix: null,
    });
    await oauth.app.database.query("UPDATE credential SET health = 'needs_reconnect' WHERE id = $1", [body.id]);
    expect(await examine()).toMatchObject({
      outcome: "warning",
      seen: expect.stringContaining('"Main", which does not work'),
    });
    const { key: herKey } = await oauth.app.parts.identity.apiKeys.create(ellen.organizationId, {
      name: "test",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    const { steps } = await examineFrom({ url: address, key: herKey });
    expect(steps.find(({ id }) => id === "account")).toMatchObject({
      outcome: "ok",
      seen: expect.stringContaining(body.reference),
    });
  });

  it("approves no other request than its own", async () => {
    const { organizationId, browser } = oauth.ann;
    const registered = await oauth.client.register({ redirect_uris: [redirectUri], client_name: "Somebody else" });
    const request = {
      response_type: "code",
      client_id: String(registered.body.client_id),
      redirect_uri: redirectUri,
      resource: url,
    };
    const challenge = { code_challenge: createChallenge().challenge, code_challenge_method: "S256" };
    const foreign = await openConsent(oauth.client.authorizeUrl({ ...request, ...challenge }), oauth.ann);
    proxy.plant({
      changeAnswer({ headers }) {
        if (String(headers.location).includes("/oauth/consent/"))
          headers.location = `${proxy.url}/oauth/consent/${foreign.uid}`;
      },
    });
    expectProblem(await browser.post("/api/doctor", { url, organizationId }), {
      status: 400,
      code: "oauth_state_invalid",
    });
    expect((await foreign.read()).status).toBe(200);
  });

  it("approves nothing that the person could not approve", async () => {
    const bob = await signUpOwner(oauth.app, "Bob");
    const vera = await signUpMember(oauth.app, oauth.ann.organizationId, "Vera", "viewer");
    for (const { browser } of [bob, vera]) {
      const answer = await browser.post("/api/doctor", { url, organizationId: oauth.ann.organizationId });
      expectProblem(answer, { status: 403, code: "role_required" });
    }
  });

  it("examines only so often for one person", async () => {
    const { browser } = await signUpOwner(oauth.app, "Dora");
    proxy.plant(answering(/./, { status: 502 }));
    for (let count = 0; count < 10; count++) expect((await browser.post("/api/doctor", { url })).status).toBe(200);
    expectProblem(await browser.post("/api/doctor", { url }), { status: 429, code: "rate_limited" });
  });

  it("connects to no other address, neither by request nor because a document says so", async () => {
    const { browser } = await signUpOwner(oauth.app, "Carl");
    let visits = 0;
    const inside = createServer((_request, response) => void response.end(String(++visits)));
    const port = await freePort();
    await new Promise<void>((done) => inside.listen(port, "127.0.0.1", done));
    inside.on("connection", () => visits++);
    try {
      for (const address of [
        `http://127.0.0.1:${port}/system/mcp`,
        `${url}/../../admin`,
        `${url}?x=1`,
        proxy.url,
        "file:///etc/passwd",
      ])
        expectProblem(await browser.post("/api/doctor", { url: address }), { status: 400, code: "validation_failed" });
      proxy.plant(
        rewriting(`"authorization_servers":["${proxy.url}"]`, `"authorization_servers":["http://127.0.0.1:${port}"]`),
      );
      const { body } = await browser.post("/api/doctor", { url });
      expect(body.brokenStep).toBe("issuer");
      expect((body as Report).steps.find(({ id }) => id === "issuer")).toMatchObject({ fault: "foreign_address" });
      expect(visits).toBe(0);
    } finally {
      inside.close();
    }
  });
});

describe("the doctor of the command line", () => {
  it("prints what it found, and its exit code says whether all is well", async () => {
    const sound = await runSwitchyard(["doctor", "--url", url, "--key", key], {});
    expect([sound.code, sound.stderr]).toEqual([0, ""]);
    expect(JSON.parse(sound.stdout)).toMatchObject({ healthy: true });
    proxy.plant(removingHeader("www-authenticate"));
    const broken = await runSwitchyard(["doctor", "--url", url], {});
    expect([broken.code, broken.stderr]).toEqual([1, ""]);
    expect(JSON.parse(broken.stdout)).toMatchObject({ healthy: false, brokenStep: "challenge" });
    const wrong = await runSwitchyard(["doctor", "--url", "notion"], {});
    expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
    expect(wrong.stderr).toMatch(/^doctor: --url: /);
  });
});
