import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findUnstorableText, readJson, toStorableText } from "./json.ts";
import { Refusal } from "./refusal.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

const refusalOf = (input: Uint8Array): Refusal => {
  try {
    readJson(input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("was not refused");
};

/** Any string of UTF-16 code units, with NUL and half surrogate pairs made frequent. */
const wildText = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\0", "\ud800", "\udc00", "\\", '"', "u0000"),
    fc.string({ unit: "binary", maxLength: 1 }),
  ),
});

describe("readJson", () => {
  test("reads whatever JSON.stringify wrote, unless it holds unstorable text", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\\u0000|\\ud|__proto__|constructor/.test(text));
        expect(readJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("never throws anything but a Refusal and accepts only what JSON.parse accepts", () => {
    const fragments = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      ":",
      ",",
      "1",
      "null",
      "\\u0000",
      "\\ud800",
      "a",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        try {
          expect(readJson(bytes(text))).toEqual(JSON.parse(text));
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    "0",
    "-0",
    "9007199254740991",
    "9007199254740992",
    "100000000000000000000",
    "1e20",
    "1.5E+300",
    "0e999",
    "-0.0e-5",
    "0.1234567890123456789",
  ])("takes the number %s", (number) => {
    expect(readJson(bytes(`[${number}]`))).toEqual([Number(number)]);
  });

  test.each([
    ["1e309", "", "/0"],
    ["-1e-324", '[{"a":1},', "/0/1"],
    ["9007199254740993", "", "/0"],
    ["1000000000000000000000", "", "/0"],
  ])("refuses the number %s, which would become another one", (number, before, _pointer) => {
    expect(refusalOf(bytes(`{"12345678901234567890":"1e999","b":[${before.slice(1)}${number}]}`))).toMatchObject({
      code: "validation_failed",
      errors: [
        { pointer: before === "" ? "/b/0" : "/b/1", detail: expect.stringMatching(/^is a (whole )?number too/) },
      ],
    });
    expect(readJson(bytes(`[${number}, 1]`), { numbers: "inexact as text" })).toEqual([number, 1]);
  });

  test.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
    ["arrays after strings with brackets and quotes", '["]]}\\"]",', "]"],
  ])("takes 64 levels of %s and refuses 65", (_name, open, close) => {
    const nested = (depth: number): Buffer => bytes(`${open.repeat(depth)}1${close.repeat(depth)}`);
    expect(readJson(nested(64))).toBeTypeOf("object");
    expect(refusalOf(nested(65))).toMatchObject({
      code: "malformed_json",
      message: expect.stringContaining("64 levels"),
    });
  });

  test("counts depth, not brackets, and no brackets inside strings", () => {
    expect(readJson(bytes(`[${"[],".repeat(1000)}"${"[{".repeat(1000)}"]`))).toHaveLength(1001);
    expect(readJson(bytes(`["\\"${"[".repeat(100)}"]`))).toEqual([`"${"[".repeat(100)}`]);
  });

  test("refuses a million open brackets before the parser sees them", () => {
    expect(refusalOf(bytes("[".repeat(1_000_000))).message).toContain("nested deeper");
  });

  test("takes fifty thousand values and refuses more, whatever holds them", () => {
    const list = (length: number, entry: string) => bytes(`[${Array<string>(length).fill(entry).join(",")}]`);
    expect(readJson(list(49_999, "0"))).toHaveLength(49_999);
    expect(readJson(list(10, JSON.stringify(",".repeat(100_000))))).toHaveLength(10);
    for (const body of [list(50_001, "0"), list(25_001, "[]"), list(16_667, '{"a":1,"b":[]}')])
      expect(refusalOf(body)).toMatchObject({
        code: "malformed_json",
        message: expect.stringContaining("50000 values"),
      });
  });

  test.each([
    ["an overlong form", [0x22, 0xc0, 0x80, 0x22]],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a cut sequence", [0x22, 0xe2, 0x82, 0x22]],
    ["a stray byte", [0x22, 0xff, 0x22]],
  ])("refuses %s as invalid UTF-8", (_name, raw) => {
    expect(refusalOf(Uint8Array.from(raw))).toMatchObject({
      code: "malformed_json",
      message: expect.stringContaining("UTF-8"),
    });
  });

  test("ignores one byte order mark and refuses a second", () => {
    expect(readJson(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 });
    expect(refusalOf(bytes("\ufeff\ufeff{}")).code).toBe("malformed_json");
  });

  test.each(["", " ", "{", "undefined", "NaN", "{'a':1}", "[1,]", "1 2", '"\u0000"'])(
    "refuses %j as malformed",
    (text) => {
      expect(refusalOf(bytes(text)).code).toBe("malformed_json");
    },
  );

  test("does not quote the body in its message", () => {
    const refusal = refusalOf(bytes('{"password":"canary-secret" oops'));
    expect(JSON.stringify([refusal.message, String(refusal.cause)])).not.toContain("canary");
  });

  test.each([
    '{"__proto__":{"admin":true}}',
    '[{"a":{"__proto__":null}}]',
    String.raw`{"\u005f_proto__":1}`,
    String.raw`{"__prot\u006f__":1}`,
    String.raw`{"\u005F\u005F\u0070\u0072\u006F\u0074\u006F\u005F\u005F":1}`,
    '{"constructor":{"prototype":{"admin":true}}}',
    String.raw`{"c\u006fnstructor":{"\u0070rototype":1}}`,
  ])("refuses the poisonous keys of %s", (text) => {
    expect(refusalOf(bytes(text))).toMatchObject({
      code: "malformed_json",
      message: expect.stringContaining("__proto__"),
    });
  });

  test("lets harmless words through that look like poison", () => {
    const value = {
      constructor: "a builder",
      prototype: { name: "__proto__" },
      list: ["constructor", { constructor: { name: "a company" } }],
    };
    expect(readJson(bytes(JSON.stringify(value)))).toEqual(value);
  });

  test.each([
    [String.raw`"\u0000"`, ""],
    [String.raw`{"a":[1,{"b/c~d":"x\u0000"}]}`, "/a/1/b~1c~0d"],
    [String.raw`{"a":"\ud83d"}`, "/a"],
    [String.raw`{"a":"\uDE00\uD83D"}`, "/a"],
    [String.raw`{"first":"\u0000","second":"\u0000"}`, "/first"],
    [String.raw`{"bad\u0000key":1}`, "/bad\ufffdkey"],
  ])("refuses the unstorable text of %s and points at it", (text, pointer) => {
    expect(refusalOf(bytes(text))).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
  });

  test("takes escaped whole surrogate pairs and an escaped backslash before u0000", () => {
    expect(readJson(bytes(String.raw`["\ud83d\uDE00","\\u0000"]`))).toEqual(["😀", "\\u0000"]);
  });
});

describe("findUnstorableText", () => {
  test("finds a text exactly when its serialisation would be sanitized", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), wildText, (value, text) => {
        for (const candidate of [value, { [text]: value }, [value, text]]) {
          expect(findUnstorableText(candidate) !== undefined).toBe(toStorableText(candidate).sanitized);
        }
      }),
    );
  });

  test("ends on cycles and on any depth", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    expect(findUnstorableText(cycle)).toBeUndefined();
    expect(findUnstorableText(JSON.parse(`${"[".repeat(100_000)}"\\u0000"${"]".repeat(100_000)}`))).toBe(
      "/0".repeat(100_000),
    );
  });
});

describe("toStorableText", () => {
  test("is exactly JSON.stringify for storable values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme" }), (value) => {
        fc.pre(findUnstorableText(value) === undefined);
        expect(toStorableText(value)).toEqual({ text: JSON.stringify(value), sanitized: false });
      }),
    );
  });

  test("replaces NUL and half surrogate pairs by U+FFFD and nothing else", () => {
    fc.assert(
      fc.property(wildText, (text) => {
        const storable = text.replaceAll("\0", "\ufffd").toWellFormed();
        const stored = toStorableText({ text });
        expect(JSON.parse(stored.text)).toEqual({ text: storable });
        expect(stored.sanitized).toBe(storable !== text);
      }),
      { numRuns: 500 },
    );
  });

  test("never throws and always gives storable JSON, whatever the value", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        (value) => {
          const { text } = toStorableText(value);
          expect(findUnstorableText(JSON.parse(text))).toBeUndefined();
          expect(findUnstorableText(text)).toBeUndefined();
        },
      ),
    );
  });

  test("marks cycles but not what is only shared", () => {
    const shared = { n: 1 };
    const value: { first: object; second: object; self?: object } = { first: shared, second: shared };
    value.self = { again: value };
    expect(toStorableText(value)).toEqual({
      text: '{"first":{"n":1},"second":{"n":1},"self":{"again":"[circular]"}}',
      sanitized: true,
    });
  });

  test.each([200, 100_000])("cuts a value %i levels deep with a marker", (depth) => {
    const stored = toStorableText(JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`));
    expect(stored).toEqual({ text: `${"[".repeat(128)}"[nested too deep]"${"]".repeat(128)}`, sanitized: true });
  });

  test("keeps the deepest request inside a record", () => {
    const deepest = JSON.parse(`${"[".repeat(64)}${"]".repeat(64)}`) as unknown;
    expect(toStorableText({ input: { body: deepest } }).sanitized).toBe(false);
  });

  test("writes bigint as text, drops functions, and writes null for nothing", () => {
    expect(toStorableText({ big: 12345678901234567890n, run: () => 1, none: undefined })).toEqual({
      text: '{"big":"12345678901234567890"}',
      sanitized: true,
    });
    expect(toStorableText(undefined)).toEqual({ text: "null", sanitized: false });
    expect(toStorableText(() => 1)).toEqual({ text: "null", sanitized: true });
  });

  test("marks a value that throws when it is read", () => {
    const value = { toJSON: () => JSON.parse("{") as unknown };
    expect(toStorableText(value)).toEqual({ text: '"[unreadable]"', sanitized: true });
  });
});
