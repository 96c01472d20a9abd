import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrub } from "./scrub.ts";

// Something of everything that a form writes in its own way, also both special characters of base64 and two of its padding.
const secret = `S3cret/+value=&<ü> with "quotes", (it's *all*) ~~~~~?????!!!`;
const percent = encodeURIComponent(secret);
const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const strictly = (text: string) =>
  [
    ["!", "%21"],
    ["'", "%27"],
    ["(", "%28"],
    [")", "%29"],
    ["*", "%2A"],
    ["~", "%7E"],
  ].reduce((done, [from = "", to = ""]) => done.replaceAll(from, to), text);
const toAscii = (unit: string) => (unit > "\x7f" ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit);

const escapeAsJson = (text: string) => JSON.stringify(text).slice(1, -1);
const toUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const toUpperUnit = (unit: string) => toUnit(unit).toUpperCase().replace("U", "u");
// Of what JSON must escape, these have a letter of their own; other control characters are written in hexadecimal.
const inUpperCase = (unit: string) =>
  /["\\\b\t\n\f\r]/.test(unit) ? escapeAsJson(unit) : unit < " " ? toUpperUnit(unit) : unit;
const asGo = (text: string) => escapeAsJson(text).replaceAll(/[<>&\u2028\u2029]/g, toUnit);
const asDotNet = (unit: string) => (/["&'+<>`]|[^\0-~]/.test(unit) ? toUpperUnit(unit) : inUpperCase(unit));

const inHtml = (text: string, quote: string, apostrophe: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);

const encodings: [string, (text: string) => string][] = [
  ["plain", (text) => text],
  ["base64", (text) => Buffer.from(text).toString("base64")],
  ["base64 without padding", (text) => Buffer.from(text).toString("base64").replaceAll("=", "")],
  ["base64 in percents", (text) => encodeURIComponent(Buffer.from(text).toString("base64"))],
  ["base64url", (text) => Buffer.from(text).toString("base64url")],
  ["percent", encodeURIComponent],
  ["percent twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["percent in lower case", (text) => lower(encodeURIComponent(text))],
  ["percent with nothing left out", (text) => strictly(encodeURIComponent(text))],
  ["percent with nothing left out in lower case", (text) => lower(strictly(encodeURIComponent(text)))],
  ["percent with + for a space", (text) => encodeURIComponent(text).replaceAll("%20", "+")],
  [
    "percent of every byte",
    (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(""),
  ],
  ["a form", (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ["hex", (text) => Buffer.from(text).toString("hex")],
  ["HEX", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["JSON", (text) => JSON.stringify(text).slice(1, -1)],
  ["JSON with escaped slashes", (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")],
  ["JSON in ASCII", (text) => JSON.stringify(text).slice(1, -1).split("").map(toAscii).join("")],
  [
    "JSON as PHP writes it",
    (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/").split("").map(toAscii).join(""),
  ],
  ["JSON as Go writes it", asGo],
  [
    "JSON as older Go writes it",
    (text) =>
      text
        .split("\b")
        .map((part) => part.split("\f").map(asGo).join("\\u000c"))
        .join("\\u0008"),
  ],
  [
    "JSON as Python writes it",
    (text) => escapeAsJson(text).split("").map(toAscii).join("").replaceAll("\x7f", "\\u007f"),
  ],
  ["JSON as Gson writes it", (text) => escapeAsJson(text).replaceAll(/[<>&='\u2028\u2029]/g, toUnit)],
  ["JSON as .NET writes it", (text) => text.split("").map(asDotNet).join("")],
  ["JSON as Jackson writes it", (text) => text.split("").map(inUpperCase).join("")],
  [
    "JSON as Jackson writes it in ASCII",
    (text) =>
      text
        .split("")
        .map((unit) => (unit > "\x7f" ? toUpperUnit(unit) : inUpperCase(unit)))
        .join(""),
  ],
  ["HTML", (text) => inHtml(text, "&quot;", "&#39;")],
  ["HTML as Python writes it", (text) => inHtml(text, "&quot;", "&#x27;")],
  ["HTML as PHP writes it", (text) => inHtml(text, "&quot;", "&#039;")],
  ["HTML as Go writes it", (text) => inHtml(text, "&#34;", "&#39;")],
  ["XML", (text) => inHtml(text, "&quot;", "&apos;")],
  ["HTML between tags", (text) => inHtml(text, '"', "'")],
];

const encodingCalled = (name: string) => encodings.find(([one]) => one === name) ?? expect.unreachable();

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

  it("is removed beside another one", () => {
    expect(createScrub(["abcdef", "ghijkl"]).text("abcdefghijkl")).toBe("[secret][secret]");
  });

  it("is removed also when it is no valid text", () => {
    const { text } = createScrub(["half\ud800pair"]);
    expect(text("x half\ud800pair y half%EF%BF%BDpair z")).toBe("x [secret] y [secret] z");
  });

  it("that is empty hides nothing", () => {
    const { text } = createScrub(["", "abc12"]);
    expect([text(""), text(" "), text("x")]).toEqual(["", " ", "x"]);
  });

  it("of fewer than six characters is only removed when it is the whole text", () => {
    const { text, value } = createScrub(["abc12"]);
    expect([text("abc12"), text(" abc12\n"), text("xabc12x")]).toEqual(["[secret]", "[secret]", "xabc12x"]);
    expect(text("YWJjMTI= 6162633132")).toBe("YWJjMTI= 6162633132");
    expect(value({ abc12: ["abc12"] })).toEqual({ "[secret]": ["[secret]"] });
  });
});

describe("a secret in a value", () => {
  it("is removed from texts, keys and numbers, and nothing else changes", () => {
    const { value } = createScrub([secret, "123456789"]);
    const given = {
      [`k${secret}`]: [secret, 1, null, true, { deep: `${percent}!` }],
      id: 123456789,
      big: [123456789n, 1n],
    };
    expect(value(given)).toEqual({
      "k[secret]": ["[secret]", 1, null, true, { deep: "[secret]!" }],
      id: "[secret]",
      big: ["[secret]", 1n],
    });
    const clean = { a: [1, "two", { three: null }], __proto__x: "y" };
    expect(value(clean)).toEqual(clean);
  });

  it.each([
    ["lists", (inner: unknown) => [inner]],
    ["objects", (inner: unknown) => ({ inner })],
  ])("is cut off with what is nested in 200 %s", (_, wrap) => {
    const { value } = createScrub([secret]);
    const nest = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => wrap(inner), secret);
    expect(JSON.stringify(value(nest(200)))).toContain('"[secret]"');
    expect(JSON.stringify(value(nest(201)))).toContain('"[nested too deep]"');
    expect(JSON.stringify(value(nest(5000)))).not.toContain(secret);
  });
});

describe("for all secrets and texts", () => {
  const special = fc.constantFrom(..."\"'`<>&+=/\\ ~!*()%\b\f\n\x1f\x7f\u2028");
  const unit = fc.oneof({ weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }) }, special);
  const someSecret = fc
    .string({ minLength: 6, maxLength: 60, unit })
    .filter((text) => text.length >= 6 && text.isWellFormed());

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
      { numRuns: 300, examples: [[["`    \u097a"], "", "", encodingCalled("JSON as Jackson writes it in ASCII")]] },
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
