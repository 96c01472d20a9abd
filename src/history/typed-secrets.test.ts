import { describe, expect, it } from "vitest";
import { scrubOfCall } from "./typed-secrets.ts";

const scrubbed = (parameters: unknown) => scrubOfCall(parameters)?.value(parameters) ?? parameters;
const canary = "canary-4711-canary";

describe("a secret that was typed into a parameter", () => {
  it.each<[string, unknown]>([
    ["a header", { headers: { Authorization: `Bearer ${canary}` } }],
    ["a header in small letters with several values", { headers: { "x-api-key": [canary, "other"] } }],
    ["a cookie", { headers: { Cookie: `theme=dark; session=${canary}` } }],
    ["a login in base64", { headers: { authorization: `Basic ${Buffer.from(`ann:${canary}`).toString("base64")}` } }],
    ["a field", { body: { user: { clientSecret: canary } } }],
    ["a number", { password: 4_711_000_042, text: "4711000042" }],
    ["JSON in a text", { body: `{"db_password":"${canary}"}` }],
    ["a form in a text", { body: `grant_type=password&client_secret=${canary}` }],
    ["an address", { url: `https://api.example.test/x?a=1&access_token=${canary}` }],
    ["an address with an encoded value", { url: `https://api.example.test/x?api_key=${encodeURIComponent(`${canary}/+`)}` }],
    ["the login of an address", { text: `see postgres://ann:${canary}@db.example.test/x` }],
    ["a sentence", { text: `use Bearer ${canary} for it` }],
    ["a key of this product", { text: `swy_${canary}_abcdefgh and swy_${canary}_abcdefgh` }],
    ["a list", ["x", { token: canary }]],
  ])("is taken out of %s, and of everything else that repeats it", (_name, parameters) => {
    const said = `failed for ${canary} and ${encodeURIComponent(canary)}`;
    expect(JSON.stringify(scrubbed(parameters))).not.toMatch(/canary-4711|4711000042/);
    // In these the canary is only a part of the secret.
    if (!/4711000042|swy_|%2F/.test(JSON.stringify(parameters))) expect(scrubOfCall(parameters)?.text(said)).not.toContain("canary-4711");
  });

  it.each<[unknown]>([
    [{ maxTokens: 5, nextPageToken: "abcdefghij", issueKey: "ACME-12", key: "a/b.txt", idempotencyKey: "once-and-no-more", author: "Ann" }],
    [{ text: "The password is in the vault, as a token of trust; basic rules apply.", url: "https://example.test/?page=2&key=a" }],
    [{ headers: { accept: "application/json" }, body: { tokens: ["a", "b"], secretary: "Bob", passenger: "Eve" } }],
    ["just a text"],
    [null],
  ])("is none in %j", (parameters) => {
    expect(scrubOfCall(parameters)).toBeUndefined();
  });

  it("is found quickly in long and deep values", () => {
    const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], "x");
    const startedAt = performance.now();
    scrubOfCall({ text: "a=".repeat(500_000), other: "https://".repeat(100_000), blanks: " ".repeat(500_000), deep });
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
