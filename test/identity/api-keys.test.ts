import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiKeyText } from "../../src/identity/api-key-text.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { rawRequest } from "../support/raw-request.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Ann");
  path = `/api/organizations/${owner.organizationId}/api-keys`;
});
afterAll(() => app.stop());

const trigger = (key?: string, base = app.platformUrl, init: RequestInit = {}) =>
  fetch(`${base}/task-runner/trigger/some-workflow`, {
    method: "POST",
    ...init,
    headers: { ...(key ? { "x-api-key": key } : {}), ...init.headers },
  });

async function createKey(scopes = ["workflows:trigger"]) {
  const { status, body } = await owner.browser.post(path, { name: "CI", scopes });
  expect(status).toBe(201);
  return body as { id: string; key: string; hint: string };
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

describe("creating a key", () => {
  it("shows the text once, in the documented form", async () => {
    const { id, key, hint } = await createKey();
    expect(key).toMatch(/^swy_[0-9A-Za-z]{38}$/);
    expect(hint).toBe(`swy_…${key.slice(-4)}`);
    const listed = await owner.browser.get(path);
    expect(listed.body.data).toContainEqual(
      expect.objectContaining({ id, hint, scopes: ["workflows:trigger"], lastUsedAt: null }),
    );
    expect(listed.text).not.toContain(key);
  });

  it("stores only the SHA-256 of the text", async () => {
    const { id, key } = await createKey();
    const [row] = await app.database.query("SELECT * FROM api_key WHERE id = $1", [id]);
    expect(row?.hash).toEqual(createHash("sha256").update(key).digest());
    expect(JSON.stringify(row)).not.toContain(key.slice(4, -4));
    expect(app.logLines.join("")).not.toContain(key);
  });

  it.each([
    { scopes: [] },
    { scopes: ["*"] },
    { scopes: ["workflows:*"] },
    { scopes: ["platform:read"] },
    { scopes: "mcp:invoke" },
    {},
  ])("refuses the scopes of %j and names the field", async (request) => {
    const { status, body } = await owner.browser.post(path, { name: "bad", ...request });
    expect(status).toBe(400);
    expect(body.code).toBe("validation_failed");
    expect(body.errors[0].pointer).toMatch(/^\/scopes/);
  });

  it("refuses an expiry in the past", async () => {
    const { status, body } = await owner.browser.post(path, {
      name: "old",
      scopes: ["mcp:invoke"],
      expiresAt: "2020-01-01T00:00:00Z",
    });
    expect([status, body.errors[0].pointer]).toEqual([400, "/expiresAt"]);
  });
});

describe("using a key", () => {
  it("passes a key with the scope on to the handler and records its last use", async () => {
    const { id, key } = await createKey();
    const response = await trigger(key);
    expect([response.status, await codeOf(response)]).toEqual([404, "workflow_not_found"]);
    await expect
      .poll(
        async () => (await app.database.query("SELECT last_used_at FROM api_key WHERE id = $1", [id]))[0]?.last_used_at,
      )
      .toBeInstanceOf(Date);
  });

  it("takes the header in any case and with spaces around the value", async () => {
    const { key } = await createKey();
    expect((await trigger(undefined, app.platformUrl, { headers: { "X-Api-KEY": ` ${key} ` } })).status).toBe(404);
  });

  it.each([undefined, "", "   "])("answers 401 api_key_missing for %j", async (key) => {
    const response = await trigger(
      undefined,
      app.platformUrl,
      key === undefined ? {} : { headers: { "x-api-key": key } },
    );
    expect([response.status, await codeOf(response)]).toEqual([401, "api_key_missing"]);
  });

  it("answers 401 for a wrong checksum and for an unknown key alike", async () => {
    const { key } = await createKey();
    const mistyped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    for (const text of [mistyped, newApiKeyText(), "Bearer x", key.toLowerCase()]) {
      const response = await trigger(text);
      expect([response.status, await codeOf(response)]).toEqual([401, "api_key_invalid"]);
    }
  });

  it("refuses a key in the address or in another header", async () => {
    const { key } = await createKey();
    const inQuery = await fetch(`${app.platformUrl}/task-runner/trigger/x?api_key=${key}`, { method: "POST" });
    expect(inQuery.status).toBe(401);
    expect((await trigger(undefined, app.platformUrl, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      401,
    );
  });

  it("refuses a key sent twice", async () => {
    const { key } = await createKey();
    const answer = await rawRequest(
      app.platformUrl,
      `POST /task-runner/trigger/x HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nx-api-key: ${key}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"pointer":"x-api-key"');
  });

  it("refuses a wrong scope before the body is read", async () => {
    const { key } = await createKey(["mcp:invoke"]);
    const response = await trigger(key, app.platformUrl, {
      body: "{not json",
      headers: { "content-type": "application/json" },
    });
    expect([response.status, await codeOf(response)]).toEqual([403, "insufficient_scope"]);
  });

  it("refuses an expired key", async () => {
    const { id, key } = await createKey();
    await app.database.query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    const response = await trigger(key);
    expect([response.status, await codeOf(response)]).toEqual([401, "api_key_expired"]);
  });

  it("refuses a key that no organization owns", async () => {
    const { id, key } = await createKey();
    await app.database.query("UPDATE api_key SET owner_type = 'user' WHERE id = $1", [id]);
    const response = await trigger(key);
    expect([response.status, await codeOf(response)]).toEqual([403, "organization_key_required"]);
  });

  it("limits how often one key may call and says when to come back", async () => {
    const limited = await startTestApp({ database: app.database, environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "3" } });
    try {
      const { key } = await createKey();
      for (const expected of [404, 404, 404, 429]) {
        const response = await trigger(key, limited.platformUrl);
        expect(response.status).toBe(expected);
        expect(response.headers.get("ratelimit-limit")).toBe("3");
        if (expected === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    } finally {
      await limited.stop();
    }
  });
});

describe("ending a key", () => {
  it("puts a new text in the place of the old one", async () => {
    const { id, key } = await createKey();
    const { status, body } = await owner.browser.post(`${path}/${id}/regenerate`);
    expect(status).toBe(200);
    expect((await trigger(key)).status).toBe(401);
    expect((await trigger(body.key)).status).toBe(404);
  });

  it("refuses a deleted key at once and for ever", async () => {
    const { id, key } = await createKey();
    expect((await owner.browser.delete(`${path}/${id}`)).status).toBe(204);
    expect(await codeOf(await trigger(key))).toBe("api_key_invalid");
    expect((await owner.browser.post(`${path}/${id}/regenerate`)).status).toBe(404);
    expect((await owner.browser.delete(`${path}/${id}`)).status).toBe(404);
    expect((await owner.browser.get(path)).text).not.toContain(id);
  });
});

describe("who may manage keys", () => {
  it.each(["member", "viewer"] as const)("refuses a %s", async (role) => {
    const person = await signUpMember(app, owner.organizationId, `Key${role}`, role);
    for (const answer of [
      await person.browser.get(path),
      await person.browser.post(path, { name: "x", scopes: ["mcp:invoke"] }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, "role_required"]);
  });

  it("answers a stranger and an unknown organization alike", async () => {
    const stranger = await signUpOwner(app, "Eve");
    const foreign = await stranger.browser.get(path);
    const unknown = await stranger.browser.get("/api/organizations/01a1dd74-dcd0-7482-9824-7dd92ead8c71/api-keys");
    const without = ({ body }: typeof foreign) => ({ ...body, requestId: "", instance: "" });
    expect(foreign.status).toBe(404);
    expect(without(foreign)).toEqual(without(unknown));
  });

  it("does not let one organization touch the key of another", async () => {
    const stranger = await signUpOwner(app, "Mallory");
    const { id, key } = await createKey();
    const own = `/api/organizations/${stranger.organizationId}/api-keys/${id}`;
    expect((await stranger.browser.post(`${own}/regenerate`)).status).toBe(404);
    expect((await stranger.browser.delete(own)).status).toBe(404);
    expect((await trigger(key)).status).toBe(404);
  });

  it("ends the keys of a deleted organization", async () => {
    const other = await signUpOwner(app, "Oscar");
    const { body } = await other.browser.post(`/api/organizations/${other.organizationId}/api-keys`, {
      name: "x",
      scopes: ["workflows:trigger"],
    });
    expect((await other.browser.delete(`/api/organizations/${other.organizationId}`)).status).toBe(204);
    expect((await trigger(body.key)).status).toBe(401);
  });
});
