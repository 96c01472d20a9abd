import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CredentialTypeEntry } from "../../src/catalog/wire.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Ann");
});
afterAll(() => app.stop());

describe("the catalogue for the canvas", () => {
  it("lists every node with the schemas and hints of its tool", async () => {
    const { body } = await owner.browser.get("/api/nodes");
    expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(onDisk.providerTools);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        id: "github_search_issues",
        title: "Search issues",
        version: 1,
        provider: { id: "github", title: "GitHub" },
        hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
        credentials: ["github"],
        inputSchema: expect.objectContaining({ type: "object", required: ["query"], additionalProperties: false }),
      }),
    );
  });

  it("lists the kinds of accounts with a form each, secrets marked as never to be shown", async () => {
    const { body } = await owner.browser.get("/api/credential-types");
    expect(body.data.map((entry: CredentialTypeEntry) => entry.provider.id).sort()).toEqual(
      onDisk.providersWithAccounts,
    );
    const github = body.data.find(({ type }: { type: string }) => type === "github");
    expect(github).toMatchObject({ takesBaseUrl: true, canBeTested: true });
    expect(github.variants.map(({ kind, isOAuth2 }: { kind: string; isOAuth2: boolean }) => [kind, isOAuth2])).toEqual([
      ["bearer", false],
      ["oauth2", true],
    ]);
    expect(github.variants[0].schema.properties.accessToken).toMatchObject({
      type: "string",
      format: "password",
      writeOnly: true,
    });
  });

  it("serves each provider's icon as a picture", async () => {
    const { status, headers, text } = await owner.browser.get("/api/providers/slack/icon.svg");
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
    expect(text).toMatch(/^<svg /);
    expect((await owner.browser.get("/api/providers/nobody/icon.svg")).status).toBe(404);
  });

  it("lists the built-in nodes apart from the others", async () => {
    const { body } = await owner.browser.get("/api/engine-nodes");
    expect(body.data).toHaveLength(16);
    expect(body.data).toContainEqual({
      id: "condition",
      title: "Condition",
      description: expect.any(String),
      synonyms: expect.arrayContaining(["if"]),
      section: "logic",
      version: 1,
      inputSchema: expect.objectContaining({
        properties: {
          condition: expect.objectContaining({
            type: "boolean",
            expression: true,
            rows: expect.objectContaining({ type: "object" }),
          }),
        },
      }),
      ways: ["true", "false"],
      per: "item",
    });
  });

  it.each(["/api/nodes", "/api/engine-nodes", "/api/credential-types", "/api/polls", "/api/webhook-providers"])(
    "answers %s only to people who are signed in",
    async (path) => {
      expect((await app.browser().get(path)).status).toBe(401);
    },
  );
});
