import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAddressRules } from "../../src/base/address-rules.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import { createSafeFetch } from "../../src/base/safe-fetch.ts";
import { createTracing } from "../../src/base/tracing.ts";
import { createExecute, createPrepare, type Execute, type Prepare } from "../../src/calls/execute.ts";
import type { CatalogAction } from "../../src/catalog/catalog.ts";
import { noteFailure, noteSuccess, vaultTables } from "../../src/vault/store.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const secret = "ghp_very-secret-canary-7311";
let app: TestApp;
let provider: FakeProvider;
let organizationId: string;
let reference: string;
let prepare: Prepare;
let execute: Execute;

beforeAll(async () => {
  app = await startTestApp();
  provider = await startFakeProvider();
  organizationId = (await signUpOwner(app, "Ann")).organizationId;
  reference = await createCredential(organizationId);
  prepare = createPrepare(app.parts);
  const fetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });
  const outside = { fetch, resolveHost: async (host: string) => host, clock: systemClock };
  execute = createExecute({ vault: app.parts.vault, outside, log: createLog("silent") });
});
afterAll(async () => {
  await provider.stop();
  await app.stop();
});
beforeEach(() => provider.script([]));

async function createCredential(owner: string): Promise<string> {
  const data = { kind: "bearer", accessToken: secret, baseUrl: provider.url };
  const created = await app.parts.vault.credentials.create(owner, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
  return created.reference;
}

const actionOf = (id: string): CatalogAction => app.parts.catalog.actions.get(id) as CatalogAction;
const issue = { owner: "acme", repo: "site", title: "It is broken" };
const contextOf = (more: { signal?: AbortSignal; limitMs?: number } = {}) => ({
  signal: new AbortController().signal,
  limitMs: 5_000,
  idempotencyKey: "one",
  trace: createTracing().follow(),
  ...more,
});

async function call(
  parameters: unknown,
  more: { signal?: AbortSignal; limitMs?: number } = {},
  called = actionOf("github_create_issue"),
) {
  const references = called.credential ? { github: reference } : {};
  return await execute(await prepare({ organizationId, action: called, parameters, references }), contextOf(more));
}

describe("a call of a tool", () => {
  it("opens the credential and returns the items", async () => {
    provider.script([{ status: 201, json: { number: 7 } }]);
    expect(await call(issue)).toEqual([{ number: 7 }]);
    expect(provider.requests()[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  it("shows on the credential how real calls went", async () => {
    const health = async () =>
      (
        await app.database.query("SELECT health, last_error FROM credential WHERE organization_id = $1", [
          organizationId,
        ])
      )[0];
    provider.script([{ status: 401, json: { message: `Bad credentials ${secret}` } }]);
    await expect(call(issue)).rejects.toMatchObject({ code: "provider_error" });
    await expect
      .poll(health)
      .toMatchObject({ health: "failing", last_error: expect.stringContaining("Bad credentials [secret]") });
    provider.script([{ status: 201, json: { number: 8 } }]);
    await call(issue);
    await expect.poll(health).toMatchObject({ health: "ok", last_error: null });
  });

  it("does not show an older success, written late, in the place of a failure", async () => {
    const [row] = await app.database.query<{ id: string }>("SELECT id FROM credential WHERE organization_id = $1", [
      organizationId,
    ]);
    const place = { organizationId, credentialId: row?.id ?? "" };
    const tables = vaultTables(app.parts.ground.db);
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    await noteFailure(tables, place, { last_error: "No.", last_error_at: at(-1) });
    expect(await noteSuccess(tables, place, at(-2))).toBeUndefined();
    expect(await noteSuccess(tables, place, at(0))).toMatchObject({ health: "ok", last_error: null });
  });

  it("shows it also when the provider's words have characters that the database does not take", async () => {
    const health = async () => (await app.parts.vault.credentials.list(organizationId)).map((one) => one.health);
    provider.script([{ status: 401, json: { message: `No\0 entry\ud800 ${"x".repeat(600)}` } }]);
    await expect(call(issue)).rejects.toMatchObject({ code: "provider_error" });
    await expect.poll(health).toEqual(["failing"]);
    provider.script([{ status: 201, json: { number: 9 } }]);
    await call(issue);
    await expect.poll(health).toEqual(["ok"]);
  });

  it("names every wrong parameter before anything else is looked at", async () => {
    await expect(
      prepare({ organizationId, action: actionOf("github_create_issue"), parameters: { owner: 5 }, references: {} }),
    ).rejects.toMatchObject({
      code: "validation_failed",
      errors: [
        { pointer: "/owner", detail: "must be text" },
        { pointer: "/repo", detail: "is required" },
        { pointer: "/title", detail: "is required" },
      ],
    });
  });

  it("refuses a foreign credential, decrypting nothing", async () => {
    const stranger = await app.parts.identity.organizations.create("Strangers", (await signUpOwner(app, "Eve")).userId);
    const foreign = await createCredential(stranger.id);
    await app.database.query("UPDATE credential SET sealed = '\\x00' WHERE organization_id = $1", [stranger.id]);
    const asked = {
      organizationId,
      action: actionOf("github_create_issue"),
      parameters: issue,
      references: { github: foreign },
    };
    await expect(prepare(asked)).rejects.toMatchObject({ code: "credential_not_accessible" });
    expect(provider.requests()).toEqual([]);
  });

  it.each([undefined, null, {}, { github: "ghp_pasted-secret" }, ["x"]])(
    "refuses the references %j without repeating them",
    async (references) => {
      const refused = prepare({
        organizationId,
        action: actionOf("github_create_issue"),
        parameters: issue,
        references,
      });
      await expect(refused).rejects.toMatchObject({
        code: "credential_reference_invalid",
        message: expect.not.stringContaining("ghp_"),
      });
    },
  );

  it("removes the secret from whatever a hostile provider sends back", async () => {
    const base64 = Buffer.from(`x${secret}`).toString("base64");
    provider.script([
      {
        status: 201,
        json: { number: 7, title: `you sent ${secret}`, state: base64, html_url: encodeURIComponent(secret) },
      },
    ]);
    const items = JSON.stringify(await call(issue));
    expect(items).toContain("[secret]");
    expect(items).not.toContain(secret);
    expect(items).not.toContain(base64.slice(4, -4));
    provider.script([{ status: 422, json: { message: `bad token ${secret}`, errors: [{ code: secret }] } }]);
    await expect(call(issue)).rejects.toSatisfy(
      (error) => !JSON.stringify({ ...error, text: error.message, cause: String(error.cause) }).includes(secret),
    );
  });

  it("fails alone when it takes too long, and breaks its request off", async () => {
    provider.script([{ hang: true }]);
    await expect(call(issue, { limitMs: 200 })).rejects.toMatchObject({ code: "tool_timeout", status: 504 });
    await expect.poll(() => provider.brokenOff()).toBe(1);
  });

  it("ends with the caller's reason when the caller leaves", async () => {
    const leave = new AbortController();
    const outcome = call({ seconds: 60 }, { signal: leave.signal }, actionOf("system_wait"));
    setTimeout(() => leave.abort(new Error("gone")), 50);
    await expect(outcome).rejects.toThrow("gone");
  });

  it("does not wait for a tool that ignores its signal", async () => {
    const deaf = planted({ run: () => new Promise(() => {}) });
    await expect(call({}, { limitMs: 100 }, deaf)).rejects.toMatchObject({ code: "tool_timeout" });
  });

  it("keeps a wrong output and an unexpected failure to itself", async () => {
    for (const run of [async () => [{ text: 5 }], () => Promise.reject(new TypeError("inner workings"))])
      await expect(call({}, {}, planted({ run }))).rejects.toMatchObject({
        code: "internal_error",
        message: "The tool github_create_issue failed unexpectedly. The log of the server says more.",
      });
  });
});

function planted(change: { run: () => Promise<unknown> }): CatalogAction {
  const real = actionOf("github_create_issue");
  return {
    ...real,
    credential: null,
    input: z.strictObject({}),
    output: z.object({ text: z.string() }),
    ...change,
  } as CatalogAction;
}
