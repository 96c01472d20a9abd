import { createVerify } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { toReference } from "../../src/vault/reference.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { robotKeys, robotPem, writeRobotKey } from "../support/robot-key.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let now = new Date("2026-11-16T10:00:00Z");
let app: TestApp;
let google: FakeProvider;
let tokens: FakeProvider;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  [google, tokens] = await Promise.all([startFakeProvider(), startFakeProvider()]);
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" }, clock: { now: () => now } });
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}`;
});
beforeEach(() => {
  google.script([]);
  tokens.script([]);
});
afterAll(async () => {
  await app.stop();
  await Promise.all([google.stop(), tokens.stop()]);
});

const keyFile = (changes: object = {}) => writeRobotKey(`${tokens.url}/token`, changes);

const create = (data: object, type = "google_drive") =>
  ann.browser.post(`${path}/credentials`, {
    type,
    name: "Robot",
    data: { kind: "serviceAccount", serviceAccountKey: keyFile(), baseUrl: google.url, ...data },
  });

async function call(
  id: string,
  tool = "google_drive_search_files",
  parameters: object = { query: "name contains 'a'" },
) {
  const type = tool === "http_request" ? "google_drive" : tool.split(/_(?=search|list|send)/)[0];
  const request = { parameters, credentials: { [String(type)]: toReference(id) }, confirm: true };
  return (await ann.browser.post(`${path}/tools/${tool}/call`, request)).body;
}

/** Of a client that hangs up when the signal says so. */
async function callUnder(id: string, signal: AbortSignal) {
  const cookie = [...ann.browser.cookies].map((pair) => pair.join("=")).join("; ");
  return await fetch(`${app.platformUrl}${path}/tools/google_drive_search_files/call`, {
    method: "POST",
    headers: { origin: app.platformUrl, cookie, "content-type": "application/json" },
    body: JSON.stringify({
      parameters: { query: "name contains 'a'" },
      credentials: { google_drive: toReference(id) },
      confirm: true,
    }),
    signal,
  });
}

const granted = (accessToken: string): Answer => ({
  json: { access_token: accessToken, expires_in: 3599, token_type: "Bearer" },
});
const noFiles = { json: { files: [] } };
const bearers = () => google.requests().map(({ headers }) => headers.authorization);

function readAssertion(index = 0) {
  const form = new URLSearchParams(tokens.requests()[index]?.body.toString());
  const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const isSigned = createVerify("RSA-SHA256")
    .update(`${header}.${claims}`)
    .verify(robotKeys.publicKey, signature, "base64url");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  return { grantType: form.get("grant_type"), header: read(header), claims: read(claims), isSigned };
}

describe("a Google service account", () => {
  it("signs for a token with its key, and uses it for all calls until shortly before it ends", async () => {
    const { body } = await create({ subject: "ann@acme.test", furtherScopes: "https://www.googleapis.com/auth/tasks" });
    tokens.script([granted("ya29.first"), granted("ya29.second")]);
    google.script([noFiles, noFiles, noFiles]);
    for (const minutes of [0, 50, 10]) {
      now = new Date(now.getTime() + minutes * 60_000);
      expect((await call(body.id)).status).toBe("success");
    }
    expect(bearers()).toEqual(["Bearer ya29.first", "Bearer ya29.first", "Bearer ya29.second"]);
    expect(tokens.requests()).toHaveLength(2);
    const seconds = Math.floor(Date.parse("2026-11-16T10:00:00Z") / 1000);
    expect(readAssertion()).toEqual({
      grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      header: { alg: "RS256", typ: "JWT", kid: "key-1" },
      claims: {
        iss: "robot@acme.iam.gserviceaccount.com",
        sub: "ann@acme.test",
        aud: `${tokens.url}/token`,
        scope: "https://www.googleapis.com/auth/drive https://www.googleapis.com/auth/tasks",
        iat: seconds,
        exp: seconds + 3600,
      },
      isSigned: true,
    });
  });

  it("gets one token for calls that come together", async () => {
    const { body } = await create({});
    tokens.script([granted("ya29.shared")]);
    google.script([noFiles, noFiles, noFiles]);
    await Promise.all([call(body.id), call(body.id), call(body.id)]);
    expect(tokens.requests()).toHaveLength(1);
    expect(bearers()).toEqual(Array.from({ length: 3 }, () => "Bearer ya29.shared"));
  });

  it("asks for no token any more once all calls that wait for it have been cancelled, and for one while a call is left", async () => {
    const { body } = await create({});
    const start = () => {
      const leaving = new AbortController();
      const ended = callUnder(body.id, leaving.signal).catch((error: Error) => error.name);
      return { leave: () => leaving.abort(), ended };
    };
    tokens.script([{ hang: true }, granted("ya29.after")]);
    const [first, second] = [start(), start()];
    await expect.poll(() => tokens.requests().length).toBe(1);
    first.leave();
    expect(await first.ended).toBe("AbortError");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(tokens.brokenOff()).toBe(0);
    second.leave();
    await expect.poll(() => tokens.brokenOff()).toBe(1);

    google.script([noFiles]);
    expect((await call(body.id)).status).toBe("success");
    expect(bearers()).toEqual(["Bearer ya29.after"]);
  });

  it("gets another token when one is refused", async () => {
    const { body } = await create({});
    tokens.script([granted("ya29.ended"), granted("ya29.fresh")]);
    google.script([
      { status: 401, json: { error: { code: 401, status: "UNAUTHENTICATED", message: "Invalid Credentials" } } },
      noFiles,
    ]);
    expect((await call(body.id)).status).toBe("success");
    expect(bearers()).toEqual(["Bearer ya29.ended", "Bearer ya29.fresh"]);
  });

  it("uses a new key at once when it is changed", async () => {
    const { body } = await create({});
    tokens.script([granted("ya29.one"), granted("ya29.two")]);
    google.script([noFiles, noFiles]);
    await call(body.id);
    await ann.browser.patch(`${path}/credentials/${body.id}`, {
      data: { serviceAccountKey: keyFile({ private_key_id: "key-2" }) },
    });
    await call(body.id);
    expect(readAssertion(1).header).toMatchObject({ kid: "key-2" });
    expect(bearers()).toEqual(["Bearer ya29.one", "Bearer ya29.two"]);
  });

  it.each([{ subject: "boss@acme.test" }, { furtherScopes: "https://mail.google.com/" }])(
    "is not made to open more without its key: %j",
    async (data) => {
      const { body } = await create({});
      const change = (more: object) =>
        ann.browser.patch(`${path}/credentials/${body.id}`, { data: { ...data, ...more } });
      const { errors } = expectProblem(await change({}), { status: 400, code: "validation_failed" });
      expect(errors?.map(({ pointer }) => pointer)).toEqual(["/data/serviceAccountKey"]);
      expect((await change({ serviceAccountKey: keyFile() })).status).toBe(200);
    },
  );

  it("fails with Google's words when the key is refused, and its health says so", async () => {
    const { body } = await create({});
    tokens.script([{ status: 400, json: { error: "invalid_grant", error_description: "Invalid JWT Signature." } }]);
    const record = await call(body.id);
    expect(record.error).toMatchObject({
      code: "provider_error",
      message: expect.stringContaining("Invalid JWT Signature."),
    });
    const { body: read } = await ann.browser.get(`${path}/credentials/${body.id}`);
    expect(read).toMatchObject({
      health: "failing",
      kind: "serviceAccount",
      lastError: expect.stringContaining("Invalid JWT Signature."),
    });
    expect(google.requests()).toEqual([]);
    // Nothing of a failure is kept.
    tokens.script([granted("ya29.later")]);
    google.script([noFiles]);
    expect((await call(body.id)).status).toBe("success");
  });

  it("works in http_request too, and shows its key nowhere", async () => {
    const { body, text } = await create({});
    tokens.script([granted("ya29.canary")]);
    google.script([{ json: { echo: "ya29.canary" } }]);
    const record = await call(body.id, "http_request", { url: `${google.url}/drive/v3/drives` });
    expect(record).toMatchObject({ status: "success", outputs: [{ status: 200 }] });
    const { text: read } = await ann.browser.get(`${path}/credentials/${body.id}`);
    const secretPart = robotPem.split("\n")[3] ?? "";
    for (const shown of [text, read, JSON.stringify(record), app.logLines.join("\n")]) {
      expect(shown).not.toContain(secretPart);
      expect(shown).not.toContain("ya29.canary");
    }
  });

  it.each([
    ["no JSON", () => "AIzaSyCanary"],
    ["the key of something else", () => keyFile({ type: "authorized_user" })],
    ["a key that is none", () => keyFile({ private_key: robotPem.replace(/\n[^-]+\n/, "\ncanary\n") })],
    ["an address without https", () => keyFile({ token_uri: "http://oauth2.googleapis.test/token" })],
    ["an address that is none", () => keyFile({ token_uri: "file:///etc/passwd" })],
  ])("is not saved with %s", async (_name, write) => {
    const answer = await create({ serviceAccountKey: write() });
    const { errors } = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(errors).toEqual([
      { pointer: "/data/serviceAccountKey", detail: "must be the JSON key of a service account, as Google gave it" },
    ]);
    expect(answer.text).not.toMatch(/canary/i);
  });
});

describe("a Google account that was connected when there was no other way in", () => {
  it("goes on working, and is created without saying which", async () => {
    const place = { organizationId: ann.organizationId, credentialId: newId() };
    const data = { clientId: "c", accessToken: "ya29.old", baseUrl: google.url };
    await app.database.query(
      `INSERT INTO credential (id, organization_id, type, kind, name, sealed, public_data, health)
       VALUES ($1, $2, 'google_drive', 'oauth2', 'Old', $3, $4, 'ok')`,
      [
        place.credentialId,
        place.organizationId,
        app.parts.vault.seal.seal(JSON.stringify(data), place),
        JSON.stringify(data),
      ],
    );
    google.script([noFiles]);
    expect((await call(place.credentialId)).status).toBe("success");
    expect(bearers()).toEqual(["Bearer ya29.old"]);
    const made = await ann.browser.post(`${path}/credentials`, {
      type: "gmail",
      name: "x",
      data: { accessToken: "ya29.token" },
    });
    expect(made.body).toMatchObject({ kind: "oauth2", health: "unknown" });
  });
});
