import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const mask = "••••••••";
let app: TestApp;
let stranger: FakeProvider;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  stranger = await startFakeProvider();
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}`;
});
beforeEach(() => stranger.script([{ json: {} }]));
afterAll(async () => {
  await app.stop();
  await stranger.stop();
});

/** As it was stored when no base URL was asked for. */
async function plant(data: Record<string, unknown>, health = "ok"): Promise<string> {
  const place = { organizationId: ann.organizationId, credentialId: newId() };
  const shown = "secret" in data ? { ...data, secret: mask } : data;
  await app.database.query(
    `INSERT INTO credential (id, organization_id, type, kind, name, sealed, public_data, health)
     VALUES ($1, $2, 'http_auth', 'custom', 'Old account', $3, $4, $5)`,
    [
      place.credentialId,
      place.organizationId,
      app.parts.vault.seal.seal(JSON.stringify(data), place),
      JSON.stringify(shown),
      health,
    ],
  );
  return place.credentialId;
}

const call = async (id: string) =>
  await ann.browser.post(`${path}/tools/http_request/call`, {
    parameters: { url: `${stranger.url}/collect` },
    credentials: { http_auth: `credential:organization:${id}` },
    confirm: true,
  });

describe("an HTTP account", () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ["a bearer without a base URL", { authKind: "bearer", secret: "canary" }, ["/data/baseUrl"]],
    ["a login without a base URL", { authKind: "basic", username: "ann", secret: "canary" }, ["/data/baseUrl"]],
    ["a header without a base URL", { authKind: "header", name: "x-key", secret: "canary" }, ["/data/baseUrl"]],
    ["a secret for later without a base URL", { authKind: "none", secret: "canary" }, ["/data/baseUrl"]],
    ["a bearer without a secret", { authKind: "bearer", baseUrl: "https://api.example.com" }, ["/data/secret"]],
    [
      "a bearer with an empty secret",
      { authKind: "bearer", baseUrl: "https://api.example.com", secret: "" },
      ["/data/secret"],
    ],
    [
      "a bearer with a blank secret",
      { authKind: "bearer", baseUrl: "https://api.example.com", secret: " \t" },
      ["/data/secret"],
    ],
    [
      "a login without a user",
      { authKind: "basic", baseUrl: "https://api.example.com", secret: "canary" },
      ["/data/username"],
    ],
    [
      "a query value without name and secret",
      { authKind: "query", baseUrl: "https://api.example.com" },
      ["/data/name", "/data/secret"],
    ],
  ])("is not saved as %s", async (_name, data, pointers) => {
    const answer = await ann.browser.post(`${path}/credentials`, { type: "http_auth", name: "HTTP", data });
    const { errors } = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect((errors as { pointer: string }[]).map(({ pointer }) => pointer).sort()).toEqual(pointers);
    expect(answer.text).not.toContain("canary");
  });

  it.each([
    [{ authKind: "none" }],
    [{ authKind: "bearer", baseUrl: "https://api.example.com", secret: "canary" }],
    // Many services take a key as the user name and nothing else.
    [{ authKind: "basic", baseUrl: "https://api.example.com", username: "key" }],
  ])("is saved as %j", async (data) => {
    expect((await ann.browser.post(`${path}/credentials`, { type: "http_auth", name: "HTTP", data })).status).toBe(201);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      "without a base URL",
      { authKind: "bearer", secret: "canary" },
      "baseUrl is required, because its secret is sent nowhere else",
    ],
    ["without a secret", { authKind: "bearer", baseUrl: "https://api.example.com" }, "secret is required"],
  ])("that was saved %s no longer works, and says why before and after a call", async (_name, data, words) => {
    const id = await plant(data);
    const { body: list } = await ann.browser.get(`${path}/credentials`);
    expect(list.data.find((one: { id: string }) => one.id === id)).toMatchObject({
      health: "failing",
      isComplete: false,
    });
    const { body: read } = await ann.browser.get(`${path}/credentials/${id}`);
    expect(read).toMatchObject({ health: "failing", lastError: expect.stringContaining(words) });

    const { body: record } = await call(id);
    expect(record).toMatchObject({
      status: "failed",
      error: { code: "credential_incomplete", message: expect.stringContaining(words) },
    });
    expect(record.error.message).toContain(`/o/${ann.organizationId}/credentials/${id}`);
    expect(stranger.requests()).toEqual([]);
    const { body: tested } = await ann.browser.post(`${path}/credentials/${id}/test`, undefined);
    expect(tested).toMatchObject({ ok: false, health: "failing", message: expect.stringContaining(words) });
  });

  it("works again once the base URL is added, for which the secret is entered anew", async () => {
    const id = await plant({ authKind: "bearer", secret: "canary" });
    const change = (data: object) => ann.browser.patch(`${path}/credentials/${id}`, { data });
    expectProblem(await change({ baseUrl: stranger.url }), { status: 400, code: "validation_failed" });
    expect((await change({ baseUrl: stranger.url, secret: "fresh" })).body).toMatchObject({
      health: "unknown",
      lastError: null,
    });
    expect((await call(id)).body.status).toBe("success");
    expect(stranger.requests()).toMatchObject([{ path: "/collect", headers: { authorization: "Bearer fresh" } }]);
  });
});
