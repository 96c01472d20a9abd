import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrub } from "./scrub.ts";

const secret = 'S3cret/+value=&ü with "quotes"';
const percent = encodeURIComponent(secret);
const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const encodings: [string, (text: string) => string][] = [
  ["plain", (text) => text],
  ["base64", (text) => Buffer.from(text).toString("base64")],
  ["base64 without padding", (text) => Buffer.from(text).toString("base64").replaceAll("=", "")],
  ["base64 in percents", (text) => encodeURIComponent(Buffer.from(text).toString("base64"))],
  ["base64url", (text) => Buffer.from(text).toString("base64url")],
  ["percent", encodeURIComponent],
  ["percent twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["percent in lower case", (text) => lower(encodeURIComponent(text))],
  ["a form", (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ["hex", (text) => Buffer.from(text).toString("hex")],
  ["HEX", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["JSON", (text) => JSON.stringify(text).slice(1, -1)],
];

describe("a secret in a text", () => {
  it.each(encodings)("is removed as %s", (_, encode) => {
    const { text } = createScrub([secret]);
    expect(text(`before ${encode(secret)} after`)).toBe("before [secret] after");
  });

  it("is removed from the middle of base64, at every offset", () => {
    const { text } = createScrub([secret]);
    for (const prefix of ["", "u", "us", "use", "user:"])
      for (const encoding of ["base64", "base64url"] as const) {
        const seen = text(Buffer.from(`${prefix}${secret}:tail`).toString(encoding));
        expect(seen).toContain("[secret]");
        expect(Buffer.from(seen.split("[secret]")[0] ?? "", encoding).toString()).not.toContain(secret.slice(0, 3));
      }
  });

  it("is removed whole when another secret begins inside it", () => {
    expect(createScrub(["abcdefgh", "efghijklmnop"]).text("x abcdefghijklmnop y")).toBe("x [secret] y");
    expect(createScrub(["abcdef", "abcdefghi"]).text("abcdefghi abcdef")).toBe("[secret] [secret]");
  });

  it("is removed also when it is no valid text", () => {
    const { text } = createScrub(["half\ud800pair"]);
    expect(text("x half\ud800pair y half%EF%BF%BDpair z")).toBe("x [secret] y [secret] z");
  });

  it("of fewer than six characters is only removed when it is the whole text", () => {
    const { text, value } = createScrub(["abc12"]);
    expect([text("abc12"), text(" abc12\n"), text("xabc12x")]).toEqual(["[secret]", "[secret]", "xabc12x"]);
    expect(value({ abc12: ["abc12"] })).toEqual({ "[secret]": ["[secret]"] });
  });
});

describe("a secret in a value", () => {
  it("is removed from texts, keys and numbers, and nothing else changes", () => {
    const { value } = createScrub([secret, "123456789"]);
    const given = { [`k${secret}`]: [secret, 1, null, true, { deep: `${percent}!` }], id: 123456789 };
    expect(value(given)).toEqual({ "k[secret]": ["[secret]", 1, null, true, { deep: "[secret]!" }], id: "[secret]" });
    const clean = { a: [1, "two", { three: null }], __proto__x: "y" };
    expect(value(clean)).toEqual(clean);
  });

  it("does not end the process when it is nested too deep", () => {
    let nested: unknown = secret;
    for (let level = 0; level < 5000; level++) nested = [nested];
    expect(JSON.stringify(createScrub([secret]).value(nested))).not.toContain(secret);
  });
});

describe("for all secrets and texts", () => {
  const someSecret = fc.string({ minLength: 6, maxLength: 60, unit: "grapheme" }).filter((text) => text.length >= 6 && text.isWellFormed());

  it("no form of a secret is left", () => {
    fc.assert(
      fc.property(
        fc.array(someSecret, { minLength: 1, maxLength: 4 }),
        fc.string(),
        fc.string(),
        fc.constantFrom(...encodings),
        (secrets, before, after, encoding) => {
          const { text } = createScrub(secrets);
          for (const one of secrets) {
            const written = encoding[1](one);
            const seen = text(before + written + after);
            expect(seen.replaceAll("[secret]", "\u0001")).not.toContain(written);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a text without one stays as it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{12,20}$/), fc.stringMatching(/^[ -@]*$/), (one, harmless) => {
        expect(createScrub([one]).text(harmless)).toBe(harmless);
      }),
    );
  });
});

it("takes a mebibyte with twenty secrets in at most 50 ms", () => {
  const secrets = Array.from({ length: 20 }, (_, index) => `key-${index}-${"Zq9/".repeat(8)}${index}`);
  const { text } = createScrub(secrets);
  const output = `${JSON.stringify({ name: "some ordinary output", list: [1, 2, 3], key: "value" })}\n`.repeat(16_000).slice(0, 1 << 20);
  text(output);
  const startedAt = performance.now();
  expect(text(output + secrets[3])).toBe(`${output}[secret]`);
  expect(performance.now() - startedAt).toBeLessThan(50);
});
