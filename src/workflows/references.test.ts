import { describe, expect, it } from "vitest";
import { createPause } from "../base/pause-long-work.ts";
import { findExpressionFaults } from "../expressions/find-expression-faults.ts";
import { containsReference } from "./parse-references.ts";
import { findReferences as find, mentionsInput, takesItem } from "./references.ts";

/** With what the expressions' own grammar says against them. */
async function findReferences(value: unknown, fields?: string[]) {
  const found = [...find(value, fields)];
  const texts = found.map(({ jsonata = "1" }) => jsonata);
  const faults = await findExpressionFaults("an-organization", texts, createPause());
  return found.map(({ jsonata: _, ...reference }, index) =>
    faults[index] === undefined ? reference : { ...reference, fault: faults[index] },
  );
}

describe("findReferences", () => {
  it("finds references in every text, however deep, with where they stand and whom they name", async () => {
    expect(
      await findReferences({
        plain: "text",
        whole: "$nodes.fetch.items[0].title",
        list: [{ "a/b~c": "Dear {{ $input.name }}, {{ $nodes.x.first.n + $nodes.`y z`.first.n }}" }],
        number: 5,
      }),
    ).toEqual([
      { pointer: "/whole", expression: "$nodes.fetch.items[0].title", nodeIds: ["fetch"] },
      { pointer: "/list/0/a~1b~0c", expression: "$input.name", nodeIds: [] },
      { pointer: "/list/0/a~1b~0c", expression: "$nodes.x.first.n + $nodes.`y z`.first.n", nodeIds: ["x", "y z"] },
    ]);
  });

  it.each([
    ["{{ $nodes.fetch-1.items[price > 2] }}", ["fetch-1"]],
    ["{{ $count($nodes.1.items) }}", ["1"]],
    ["{{ $nodes . and . first.a & '' }}", ["and"]],
    ["{{ $nodes.\"my id\".first.a & $nodes.'other'.first.a }}", ["my id", "other"]],
    ["{{ '$nodes.text' & \"$nodes.more\" /* $nodes.remark */ }}", []],
    ["{{ $replace('a', /$nodes.a/, '') & $nodes.real.first.x }}", ["real"]],
    ["{{ $nodes.a.first.n / $nodes.b.first.n / 2 }}", ["a", "b"]],
    ["{{ $keys($nodes) }}", []],
  ])("reads whom %s names", async (text, nodeIds) => {
    expect(await findReferences(text)).toEqual([{ pointer: "", expression: text.slice(2, -2).trim(), nodeIds }]);
  });

  it.each([
    ["{{ 1 + }}", /^Unexpected end of expression/],
    ["{{ }}", /^it is empty$/],
    ["{{ $input.name", /^it is not closed with }}$/],
    ["{{ 1 /* and", /^it is not closed with }}$/],
    ["{{ 'open }}", /^it is not closed with }}$/],
    [`{{ ${"[".repeat(15_000)} }}`, /nested too deep|expression/],
    [`{{ ${" 1 +".repeat(6000)} 1 }}`, /^it is longer than 20000 characters$/],
  ])("says what is wrong with %.20s", async (text, fault) => {
    expect(await findReferences({ a: text })).toEqual([
      expect.objectContaining({ pointer: "/a", fault: expect.stringMatching(fault) }),
    ]);
  });

  it("stops where a text has more references than it may have", async () => {
    const fault = "it stands in a text with more than 50000 characters of references";
    expect((await findReferences("{{1}}".repeat(20_000))).at(-1)).toMatchObject({ pointer: "", fault });
  });

  it("takes an expression field as it stands, with or without braces", async () => {
    const value = {
      rules: [
        { condition: "$nodes.a-1.first.n > 2" },
        { condition: "{{ $input.a = 'x' }}" },
        { condition: " " },
        { condition: true },
      ],
    };
    expect(await findReferences(value, ["/rules/*/condition"])).toEqual([
      { pointer: "/rules/0/condition", expression: "$nodes.a-1.first.n > 2", nodeIds: ["a-1"] },
      { pointer: "/rules/1/condition", expression: "$input.a = 'x'", nodeIds: [] },
    ]);
    const [unreadable] = await findReferences({ rules: [{ condition: "price >" }] }, ["/rules/*/condition"]);
    expect(unreadable?.fault).toMatch(/Unexpected end/);
  });
});

describe("containsReference", () => {
  it.each(["$input", "$trigger.prompt", "$nodes.fetch-1.items", "a {{ 1 }}", "{{ $input.a }}", "{{ open"])(
    "sees one in %s",
    (text) => {
      expect(containsReference(text)).toBe(true);
    },
  );

  it.each([
    "",
    "text",
    "costs $5",
    "$inputs",
    "$other.a",
    "$nodes",
    "see $input.a",
    "$input.a and more",
    "{ $input }",
    "$input.a > 2",
  ])("sees none in %s", (text) => {
    expect(containsReference(text)).toBe(false);
  });
});

describe("takesItem", () => {
  it("holds for a node whose parameters or instruction speak of the incoming item", () => {
    expect(takesItem({ parameters: { a: [{ b: "x {{ $input.a }}" }] } })).toBe(true);
    expect(takesItem({ parameters: { a: "{{ $map([1], function($x) { $x + $input.n }) }}" } })).toBe(true);
    expect(takesItem({ instruction: "Write about $input in one line" })).toBe(true);
  });

  it("does not hold for a node that only seems to", () => {
    expect(takesItem({})).toBe(false);
    expect(
      takesItem({ parameters: { a: "the word $input in a text", b: "{{ '$input' }}", c: "$nodes.input.first" } }),
    ).toBe(false);
    expect(takesItem({ instruction: "the $inputs" })).toBe(false);
    expect(mentionsInput({ condition: "$input.a > 1" })).toBe(false);
    expect(mentionsInput({ condition: "$input.a > 1" }, ["/condition"])).toBe(true);
  });
});
