import { describe, expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
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
    [
      "an address with an encoded value",
      { url: `https://api.example.test/x?api_key=${encodeURIComponent(`${canary}/+`)}` },
    ],
    ["the login of an address", { text: `see postgres://ann:${canary}@db.example.test/x` }],
    ["a sentence", { text: `use Bearer ${canary} for it` }],
    ["a key of this product", { text: `swy_${canary}_abcdefgh and swy_${canary}_abcdefgh` }],
    ["a list", ["x", { token: canary }]],
  ])("is taken out of %s, and of everything else that repeats it", (_name, parameters) => {
    const said = `failed for ${canary} and ${encodeURIComponent(canary)}`;
    expect(JSON.stringify(scrubbed(parameters))).not.toMatch(/canary-4711|4711000042/);
    // In these the canary is only a part of the secret.
    if (!/4711000042|swy_|%2F/.test(JSON.stringify(parameters)))
      expect(scrubOfCall(parameters)?.text(said)).not.toContain("canary-4711");
  });

  it.each<[unknown]>([
    [
      {
        maxTokens: 5,
        nextPageToken: "abcdefghij",
        issueKey: "ACME-12",
        key: "a/b.txt",
        idempotencyKey: "once-and-no-more",
        author: "Ann",
      },
    ],
    [
      {
        text: "The password is in the vault, as a token of trust; basic rules apply.",
        url: "https://example.test/?page=2&key=a",
      },
    ],
    [{ headers: { accept: "application/json" }, body: { tokens: ["a", "b"], secretary: "Bob", passenger: "Eve" } }],
    ["just a text"],
    [null],
  ])("is none in %j", (parameters) => {
    expect(scrubOfCall(parameters)).toBeUndefined();
  });

  it("is found quickly in long and deep values", () => {
    const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], "x");
    const parameters = {
      text: "a=".repeat(500_000),
      other: "https://".repeat(100_000),
      blanks: " ".repeat(500_000),
      deep,
    };
    expect(shortestTime(() => scrubOfCall(parameters))).toBeLessThan(1000);
  });

  it.each<[string, string]>([
    ["beginnings of an address", "a.".repeat(32_000)],
    ["beginnings of a signed token", "-eyJ".repeat(16_000)],
    ["beginnings of the second part of a signed token", `eyJ${"x".repeat(40)}${".eyJ".repeat(16_000)}`],
    ["beginnings of a login", "a://b:".repeat(11_000)],
    ["beginnings of a scheme", "bearer ".repeat(9_000)],
    ["beginnings of a field", "&a".repeat(32_000)],
  ])("is looked for in linear time among %s", (_name, text) => {
    expect(shortestTime(() => scrubOfCall({ text }))).toBeLessThan(200);
  });

  it.each(["a", ":", "=", " ", '"', "'", "\\", "%41", "aA", "eyJ", "a=b;", "Basic "])(
    "is looked for in sixteen megabytes of %j, wherever they are",
    (part) => {
      const long = part.repeat(16_000_000 / part.length);
      const texts = {
        text: long,
        form: `a=b&client_secret=${long}`,
        json: `["${long}`,
        authorization: `Basic${long}x`,
        cookie: `a=${long}`,
      };
      expect(shortestTime(() => scrubOfCall({ ...texts, password: long, [long]: "x" }))).toBeLessThan(1500);
      expect(scrubbed({ [`${long} password`]: canary })).toEqual({ [`${long} password`]: "[secret]" });
    },
  );

  it("is found when it is a signed token, also after a hyphen", () => {
    const token = "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl";
    expect(scrubbed({ text: `see ${token}, x-${token}` })).toEqual({ text: "see [secret], x-[secret]" });
  });

  it("is found in a field at any depth that is recorded", () => {
    const deep = Array.from({ length: 150 }).reduce<unknown>((inner) => [inner], { password: canary });
    expect(JSON.stringify(scrubbed(deep))).not.toContain(canary);
  });

  it("is found in a JSON text of any size", () => {
    const body = JSON.stringify({ filler: "x".repeat(100_000), password: canary });
    expect(JSON.stringify(scrubbed({ body, note: `it is ${canary}` }))).not.toContain(canary);
  });
});

describe("secrets that are too long or too many to be searched by value", () => {
  const long = `${canary}${"x y".repeat(3_000_000)}`;

  it.each<[string, unknown]>([
    ["a field", { password: long, note: "short" }],
    ["JSON in a text", { password: JSON.stringify({ password: long }), note: "short" }],
    ["a form in a text", { password: `a=b&client_secret=${long.replaceAll(" ", "")}`, note: "short" }],
  ])("are replaced whole in %s, at once", (_name, parameters) => {
    expect(shortestTime(() => scrubbed(parameters))).toBeLessThan(1500);
    expect(scrubbed(parameters)).toEqual({ password: "[secret]", note: "short" });
  });

  it("are replaced whole in a form that nothing else marks", () => {
    expect(scrubbed({ body: `a=b&client_secret=${canary.repeat(1000)}`, note: "short" })).toEqual({
      body: "[secret]",
      note: "short",
    });
  });

  it("hide every text that is long enough to repeat one", () => {
    const scrub = scrubOfCall({ password: long });
    expect(scrub?.value({ echo: `you sent ${long}`, other: "kept" })).toEqual({ echo: "[secret]", other: "kept" });
  });

  it("leave the first 200 to be searched by value, and hide the others at their places", () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      id: index,
      name: "Ann",
      token: `${canary}-${index + 10_000}`,
    }));
    const parameters = { rows, note: `again ${canary}-19999`, seen: "short" };
    const expected = { rows: rows.map((row) => ({ ...row, token: "[secret]" })), note: "[secret]", seen: "short" };
    expect(shortestTime(() => scrubbed(parameters))).toBeLessThan(2000);
    expect(scrubbed(parameters)).toEqual(expected);
    const few = { rows: rows.slice(0, 200), note: `again ${canary}-10199` };
    expect(scrubbed(few)).toMatchObject({ note: "again [secret]" });
  });

  it("take no long time however they are made", () => {
    const alike = Array.from({ length: 250 }, (_, index) => ({ token: "a".repeat(4000) + index }));
    const cookie = "a=bbbbbb;".repeat(500_000);
    expect(shortestTime(() => scrubbed({ alike, cookie, text: "a".repeat(3990) }))).toBeLessThan(3000);
  });
});
