import { describe, expect, it } from "vitest";
import { arrangeFields, describeShape, fieldsOf, fits, labelOf } from "./field-shape.ts";

describe("the shape of a field", () => {
  it("takes a nullable schema for what it is besides null", () => {
    expect(describeShape({ anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] })).toMatchObject({
      kind: "number",
      minimum: 1,
    });
    expect(describeShape({ type: ["string", "null"], maxLength: 5000 })).toMatchObject({ kind: "text" });
    expect(describeShape({ enum: ["a", null] })).toEqual({ kind: "choice", options: [{ value: "a" }] });
  });

  it("offers fixed alternatives by their titles, and others as a union", () => {
    const oneOf = [{ const: "1", title: "One" }, { const: "2" }];
    expect(describeShape({ oneOf })).toEqual({
      kind: "choice",
      options: [{ value: "1", title: "One" }, { value: "2" }],
    });
    expect(describeShape({ anyOf: [{ type: "string" }, { type: "object" }] })).toMatchObject({ kind: "union" });
  });

  it("is JSON where rows would be harder to read", () => {
    const rows = { type: "array", items: { type: "array", items: {} } };
    expect(describeShape(rows)).toEqual({ kind: "json", type: "array" });
    expect(describeShape({ type: "array", items: { type: "string" } })).toMatchObject({ kind: "list" });
    expect(describeShape({ type: "object", additionalProperties: rows })).toEqual({ kind: "json", type: "object" });
    expect(describeShape({ type: "object", additionalProperties: {} })).toMatchObject({ kind: "record" });
  });

  it("keeps secrets on one hidden line and gives long texts room", () => {
    expect(describeShape({ type: "string", writeOnly: true, maxLength: 10_000 })).toMatchObject({
      isSecret: true,
      isLong: false,
    });
    expect(describeShape({ type: "string", maxLength: 5000 })).toMatchObject({ isLong: true });
    expect(
      fieldsOf({ properties: { body: { type: "string" } } }).map(({ schema }) => describeShape(schema)),
    ).toMatchObject([{ isLong: true }]);
  });

  it("tells alternatives apart by type and by fixed fields", () => {
    const card = { type: "object", properties: { kind: { const: "card" } }, required: ["kind"] };
    expect(fits(card, { kind: "card" })).toBe(true);
    expect(fits(card, { kind: "cash" })).toBe(false);
    expect(fits(card, {})).toBe(false);
    expect(fits({ type: "integer" }, 2)).toBe(true);
    expect(fits({ type: "string" }, 2)).toBe(false);
  });
});

describe("the fields of a form", () => {
  const fields = (names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const names = (list: { name: string }[]) => list.map(({ name }) => name);

  it("are all shown while few are optional", () => {
    expect(arrangeFields({ properties: fields(["a", "b", "c", "d", "e"]), required: ["a"] }).more).toEqual([]);
  });

  it("fold the optional ones after the required ones away where there are more than four", () => {
    const { shown, more } = arrangeFields({ properties: fields(["a", "b", "c", "d", "e", "f"]), required: ["c"] });
    expect([names(shown), names(more)]).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
  });

  it("never fold all of a form away", () => {
    const { shown, more } = arrangeFields({ properties: fields(["a", "b", "c", "d", "e"]) });
    expect([names(shown), names(more)]).toEqual([["a", "b", "c", "d"], ["e"]]);
  });

  it("are called by their titles, or by their names in words", () => {
    expect(labelOf({ title: "URL" }, "url")).toBe("URL");
    expect(labelOf({}, "includeSpamTrash")).toBe("Include spam trash");
  });
});
