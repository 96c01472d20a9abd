import { describe, expect, it } from "vitest";
import type { Scope } from "./engine-node.ts";
import { resolveParameters } from "./resolve-parameters.ts";

const fetched = [
  { title: "A", price: 3, tags: ["x", "y"] },
  { title: "B", price: 1, tags: [] },
];
const organizationId = "an-organization";
const scope: Scope = {
  trigger: { source: "api", sender: null, prompt: "Hi", payload: { n: 2 } },
  nodes: {
    fetch: { items: fetched, first: fetched[0] },
    "fetch-1": { items: fetched, first: fetched[0] },
    none: { items: [], first: undefined },
  },
  input: { a: { b: [1, 2] }, "first-name": "Ann", zero: 0, no: false, nothing: null, empty: "" },
  node: { id: "me", instruction: "Be brief." },
  vars: { region: "eu", limit: 5 },
};
const resolve = async (value: unknown) => (await resolveParameters({ value }, scope, { organizationId })).value;

describe("a text that is exactly one reference", () => {
  it.each([
    ["$trigger.prompt", "Hi"],
    ["$trigger", scope.trigger],
    ["$trigger.payload.n", 2],
    ["$trigger.sender", null],
    ["$nodes.fetch.items[0].title", "A"],
    ["$nodes.fetch.items[-1].title", "B"],
    ["$nodes.fetch-1.items", fetched],
    ["$nodes.`fetch-1`.first.tags[1]", "y"],
    ["$nodes.none.items", []],
    ["$input", scope.input],
    ["$input.a.b", [1, 2]],
    ["$input.first-name", "Ann"],
    ["$input.zero", 0],
    ["$input.no", false],
    ["$input.nothing", null],
    ["$input.empty", ""],
    ["$node.instruction", "Be brief."],
    ["$vars.region", "eu"],
    ["{{ $vars.limit + 1 }}", 6],
    ["{{ $vars }}", { region: "eu", limit: 5 }],
    ["{{ $input.a }}", { b: [1, 2] }],
    ["{{ $sum($nodes.fetch-1.items.price) - 1 }}", 3],
    ["{{ {'a': {'b': $input.zero}} }}", { a: { b: 0 } }],
    ["{{ $nodes.fetch.items[price > 2].title }}", "A"],
  ])("%s becomes the value with its type", async (text, value) => {
    expect(await resolve(text)).toEqual(value);
  });

  it("reads a name over a list as JSONata does", async () => {
    expect(await resolve("$nodes.fetch.items.title")).toEqual(["A", "B"]);
    expect(await resolve("$input.zero[0]")).toBe(0);
  });
});

describe("a longer text", () => {
  it.each([
    ["Dear {{ $input.`first-name` }}!", "Dear Ann!"],
    ["{{ $trigger.prompt }}{{ $trigger.prompt }}", "HiHi"],
    [" {{ $input.zero }}", " 0"],
    ["{{ $input.a }} {{ $input.nothing }} {{ $input.no }}", '{"b":[1,2]} null false'],
    ["a {{ '}}' }} b {{ '{{' }} c", "a }} b {{ c"],
    ["costs $5, see $input.a", "costs $5, see $input.a"],
    ["{{{'a': 1}}}", { a: 1 }],
  ])("%s is interpolated", async (text, value) => {
    expect(await resolve(text)).toEqual(value);
  });

  it("is found anywhere in the parameters, and all expressions are evaluated together", async () => {
    const list = Array.from({ length: 200 }, (_, number) => `{{ $input.zero + ${number} }}`);
    expect(await resolve({ deep: [{ list }], other: [true, null, 1] })).toEqual({
      deep: [{ list: list.map((_, number) => number) }],
      other: [true, null, 1],
    });
  });
});

describe("a reference that cannot be resolved", () => {
  it.each([
    [
      "$nodes.fetch.items[7].title",
      "value refers to $nodes.fetch.items[7].title, which cannot be resolved: there is nothing at $nodes.fetch.items[7].",
    ],
    [
      "$nodes.gone.first",
      "value refers to $nodes.gone.first, which cannot be resolved: there is nothing at $nodes.gone.",
    ],
    ["$nodes.none.first", "value refers to $nodes.none.first, which cannot be resolved."],
    ["Dear {{ $input.name }}", "value refers to $input.name, which cannot be resolved."],
    ["$nodes.fetch.items.nothing", "value refers to $nodes.fetch.items.nothing, which cannot be resolved."],
    ["{{ $nodes.fetch.items[price > 9] }}", "value refers to $nodes.fetch.items[price > 9], which cannot be resolved."],
    ["$input.constructor", "value refers to $input.constructor, which cannot be resolved."],
    ["$input.a.b.length", "value refers to $input.a.b.length, which cannot be resolved."],
    ["$input.__proto__", "value refers to $input.__proto__, which cannot be resolved."],
  ])("%s names its path", async (text, message) => {
    await expect(resolve(text)).rejects.toMatchObject({
      code: "reference_unresolved",
      message,
      errors: [{ pointer: "/value" }],
    });
  });

  it("is never $trigger.prompt", async () => {
    const trigger = { source: "schedule", sender: undefined, payload: undefined } as unknown as Scope["trigger"];
    const value = {
      path: "$trigger.prompt",
      text: "<{{ $trigger.prompt }}>",
      expression: "{{ $trigger.prompt & '!' }}",
    };
    expect(await resolveParameters(value, { ...scope, trigger }, { organizationId })).toEqual({
      path: "",
      text: "<>",
      expression: "!",
    });
  });

  it.each([
    ["{{ 1 + }}", /^value has an expression that failed: Unexpected end of expression \(at character 3\)\.$/],
    [
      "{{ $input.empty + 1 }}",
      /^value has an expression that failed: The left side of the "\+" operator must evaluate to a number/,
    ],
    ["{{ $eval('1') }}", /Attempted to invoke a non-function/],
    ["open {{ $input.a", /^value has a reference that cannot be read: it is not closed with \}\}\.$/],
  ])("is told apart from one that is wrong: %s", async (text, message) => {
    await expect(resolve(text)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(message),
    });
  });
});

describe("an expression field", () => {
  const expressionFields = ["/condition", "/rules/*/condition"];
  const resolveFields = async (parameters: Record<string, unknown>) =>
    await resolveParameters(parameters, scope, { organizationId, expressionFields });

  it("is an expression as it stands, with or without braces, wherever its schema says so", async () => {
    const rules = [{ way: "$input.zero > 1", condition: "$input.zero < 1" }];
    expect(await resolveFields({ condition: "{{ $input.zero > 1 }}", rules })).toEqual({
      condition: false,
      rules: [{ way: "$input.zero > 1", condition: true }],
    });
  });

  it("takes a hyphen for a minus, because it is no text", async () => {
    expect(await resolveFields({ condition: "$input.zero-1" })).toEqual({ condition: -1 });
  });

  it("becomes null when it finds nothing, is left out when it is empty, and stays when it is no text", async () => {
    expect(await resolveFields({ condition: "$nodes.fetch.items[price > 9]" })).toEqual({ condition: null });
    expect(await resolveFields({ condition: " " })).toEqual({});
    expect(await resolveFields({ condition: true })).toEqual({ condition: true });
  });

  it.each([
    "$input.gone",
    "$input.gone.deeper",
    "{{ $trigger.payload.gone }}",
    "$nodes.fetch.items[7].title",
    "$nodes.fetch.items.gone",
    "$nodes.later",
  ])("becomes null for a plain path that leads nowhere: %s", async (condition) => {
    expect(await resolveFields({ condition })).toEqual({ condition: null });
  });
});

describe("what is too large", () => {
  const large = { ...scope, input: { text: "x".repeat(2_000_000) } };

  it("is refused when it adds up in one text", async () => {
    const value = "{{ $input.text }} ".repeat(1000);
    await expect(resolveParameters({ value }, large, { organizationId })).rejects.toThrow(
      "The parameters have more than 10000000 characters.",
    );
  });

  it("is refused when it adds up over many fields", async () => {
    const value = Array.from({ length: 1000 }, () => "$input");
    await expect(resolveParameters({ value }, large, { organizationId })).rejects.toThrow(
      "The parameters have more than 10000000 characters.",
    );
  });

  it("is no trouble for nodes that are not asked for", async () => {
    const nodes = {
      big: { items: Array.from({ length: 6 }, () => large.input), first: large.input },
      small: { items: [], first: { n: 1 } },
    };
    expect(
      await resolveParameters({ value: "{{ $nodes.small.first.n + 1 }}" }, { ...scope, nodes }, { organizationId }),
    ).toEqual({
      value: 2,
    });
  });
});

it("stops when nobody waits for the value any more", async () => {
  const reason = new Error("cancelled");
  await expect(
    resolveParameters({ value: "{{ 1 + 1 }}" }, scope, { organizationId, signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
});
