import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
import { shrink } from "./shrink.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const schema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      state: { type: "string", enum: ["open", "closed"] },
      text: { anyOf: [{ type: "string" }, { type: "null" }] },
      labels: { type: "array", items: { type: "string" } },
      fields: { type: "object", additionalProperties: {} },
    },
    required: ["id", "state"],
    additionalProperties: false,
  },
};

const item = fc.record(
  {
    id: fc.uuid(),
    state: fc.constantFrom("open", "closed"),
    text: fc.oneof(fc.constant(null), fc.string({ unit: "binary", maxLength: 3000 })),
    labels: fc.array(fc.string({ maxLength: 50 }), { maxLength: 100 }),
    fields: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 60 }),
  },
  { requiredKeys: ["id", "state"] },
);

describe("a value that is too long", () => {
  it("fits its schema and its limit, whatever it was", () => {
    const fits = ajv.compile(schema);
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), fc.integer({ min: 1000, max: 8000 }), (items, limit) => {
        const shown = shrink(items, schema, limit);
        expect(fits(shown), JSON.stringify(fits.errors)).toBe(true);
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(limit * 1.1);
        expect(JSON.stringify(shown).isWellFormed() || !JSON.stringify(items).isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("is left alone while it is short", () => {
    const items = [{ id: "x", state: "open" }];
    expect(shrink(items, schema, 1000)).toBe(items);
  });

  it("keeps what comes first of a long list of small things", () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const shown = shrink(list, {}, 1000) as number[];
    expect(shown).toEqual(list.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(200);
  });

  it("takes no longer when it is nested deeply", () => {
    const bottom: unknown = Array.from({ length: 50_000 }, (_, index) => ({ id: index, text: "x".repeat(80) }));
    const deep = Array.from({ length: 198 }).reduce<unknown>(
      (inner, _, index) => (index % 2 ? [inner] : { inner }),
      bottom,
    );
    expect(shortestTime(() => shrink(deep, {}, 25_000))).toBeLessThan(500);
    const shown = shrink(deep, {}, 25_000);
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(25_000);
    expect(JSON.stringify(shown).length).toBeGreaterThan(20_000);
  });

  it.each([60, 61, 300])("has fewer of %i rows rather than broken ids, addresses and columns", (count) => {
    const address = (row: number, column: number) => `https://shop.test/items/${row}/${column}/0123456789`;
    const row = (index: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, column) => [`c${column}`, address(index, column)]));
    const rows = Array.from({ length: count }, (_, index) => row(index));
    const shown = shrink(rows, {}, 25_000) as unknown[];
    expect(shown).toEqual(rows.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(15);
  });

  it("has shorter texts beside whole ids", () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({
      id: `${index}`.padStart(60, "0"),
      text: "x".repeat(index === 0 ? 100 : 5000),
    }));
    const shown = shrink(rows, {}, 25_000) as typeof rows;
    expect(shown.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(shown[0]?.text).toBe("x".repeat(100));
  });
});
