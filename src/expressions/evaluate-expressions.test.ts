import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { evaluateExpression, evaluateExpressions } from "./evaluate-expressions.ts";

const own = "an-organization";
const data = { name: "Ann", orders: [{ price: 2 }, { price: 3 }], "ü /": 'q"\n' };
const evaluate = (expression: string, input: unknown = data) => evaluateExpression(own, expression, { input });

/** So many nested repetitions that the search takes longer than the universe is old. */
const endlessSearch = `$match("${"a".repeat(60)}b", /(a+)+$/)`;

describe("evaluateExpression", () => {
  it.each([
    ["name", "Ann"],
    ["$sum(orders.price)", 5],
    ["orders.price", [2, 3]],
    ["orders[price > 2]", { price: 3 }],
    ["orders[0].price & '!'", "2!"],
    ["{'total': $sum(orders.price), 'all': [orders.price]}", { total: 5, all: [2, 3] }],
    ["`ü /`", 'q"\n'],
    ["$map(orders, function($order) { $order.price * 2 })", [4, 6]],
    ["$replace(name, /n+/, 'x')", "Ax"],
    ["$", data],
    ["null", null],
    ["nothing.there", undefined],
  ])("evaluates %s", async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it("sees the variables it is given and no others", async () => {
    const bindings = { trigger: { prompt: "Hi" }, nodes: { fetch: { items: [{ title: "T" }] } } };
    const see = (expression: string) => evaluateExpression(own, expression, { input: {}, bindings });
    expect(await see("$trigger.prompt & ' ' & $nodes.fetch.items[0].title")).toBe("Hi T");
    expect(await evaluate("$trigger")).toBeUndefined();
  });

  it("keeps nothing of one evaluation for the next", async () => {
    await evaluate("($kept := 1; $kept)");
    expect(await evaluate("$kept")).toBeUndefined();
  });

  it("says what is wrong and where", async () => {
    await expect(evaluate("orders[")).rejects.toMatchObject({
      code: "validation_failed",
      message: /^The expression failed: .* \(at character 7\)\.$/,
    });
    await expect(evaluate("name + 1")).rejects.toThrow(/must evaluate to a number/);
    await expect(evaluate("$error('my own words')")).rejects.toThrow(
      "The expression failed: my own words (at character 7).",
    );
  });

  it("leaves functions out of its value", async () => {
    expect(await evaluate("{'f': function($x) { $x }, 'g': $sum, 'r': /a/, 'a': 1}")).toEqual({ a: 1 });
    expect(await evaluate("$sum")).toBeUndefined();
  });

  it.each([
    "constructor",
    "__proto__",
    "orders.constructor",
    "name.constructor",
    "$lookup($, '__proto__')",
    "$lookup($, 'constructor')",
    "$$.constructor.constructor",
    "$sum.implementation",
    "$sum.constructor",
    "orders.push",
    "orders.sequence",
    "$process",
    "$require",
    "$globalThis",
    "$constructor",
    "$__proto__",
    "{'__proto__': {'x': 1}}.x",
    "$merge([{'__proto__': {'x': 1}}]).x",
  ])("finds nothing behind %s", async (expression) => {
    expect(await evaluate(expression)).toBeUndefined();
  });

  it("cannot change what later evaluations see", async () => {
    await evaluate("$ ~> |$|{'__proto__': {'stain': 1}, 'constructor': {'prototype': {'stain': 1}}}|");
    expect(await evaluate("{'a': 1}.stain")).toBeUndefined();
    expect(await evaluate("{'__proto__': {'stain': 1}}")).toEqual({});
    expect(({} as { stain?: unknown }).stain).toBeUndefined();
  });

  it("takes data with poisonous keys for data", async () => {
    const input = JSON.parse(
      '{"x": 1, "__proto__": {"y": 5}, "f": {"_jsonata_function": true, "implementation": "x"}}',
    ) as unknown;
    expect(await evaluate("x", input)).toBe(1);
    expect(await evaluate("y", input)).toBeUndefined();
    await expect(evaluate("f()", input)).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("evaluates no text as an expression", async () => {
    await expect(evaluate("$eval('1 + 1')")).rejects.toThrow("Attempted to invoke a non-function");
    await expect(evaluate("($e := $eval; $e('1 + 1'))")).rejects.toThrow("Attempted to invoke a non-function");
  });

  it.each([
    ["a search that never ends", endlessSearch],
    ["a loop that never ends", "($f := function($x) { $f($x) }; $f(1))"],
    ["nested loops", "$map([1..99999], function($x) { $map([1..99999], function($y) { $x * $y }) })"],
    ["a value that grows with every use", `$reduce([1..60], function($a, $b) { {"a": $a, "b": $a} }, {})`],
  ])("ends %s", async (_name, expression) => {
    await expect(evaluate(expression)).rejects.toMatchObject({
      code: expect.stringMatching(/^(expression_timeout|validation_failed)$/),
      message: expect.stringMatching(/takes longer than 1000 ms of processor time|needs too much memory/),
    });
  });

  it.each([
    ["a huge range", "[1..1e9]"],
    ["a large range", "[1..200000]"],
    ["a list that doubles", "$reduce([1..40], function($a, $b) { $append($a, $a) }, [1, 2])"],
    ["a text that doubles", "$reduce([1..60], function($a, $b) { $a & $a }, 'xxxxxxxx')"],
    ["a huge text", "$length($pad('x', 500000000))"],
    ["a text that is too long to return", "$pad('x', 5000001)"],
    ["a recursion without end", "($f := function($x) { 1 + $f($x) }; $f(1))"],
    ["brackets without end", "[".repeat(19_000)],
    ["an expression that is too long", " ".repeat(20_001)],
  ])("refuses %s and lives on", async (_name, expression) => {
    await expect(evaluate(expression)).rejects.toMatchObject({ code: "validation_failed" });
    expect(await evaluate("1 + 1")).toBe(2);
  });

  it("refuses more data than it takes", async () => {
    await expect(evaluate("$map([1], $string)", "x".repeat(10_000_001))).rejects.toMatchObject({
      code: "validation_failed",
    });
  });

  it("stops at once when it is aborted, running or waiting for its turn", async () => {
    const abort = new AbortController();
    const outcomes = Promise.allSettled(
      Array.from({ length: 6 }, () => evaluateExpression(own, endlessSearch, { input: {}, signal: abort.signal })),
    );
    setTimeout(() => abort.abort(new Error("enough")), 200);
    const startedAt = performance.now();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { message: "enough" } });
    expect(performance.now() - startedAt).toBeLessThan(1000);
    await expect(evaluateExpression(own, "1", { input: {}, signal: abort.signal })).rejects.toThrow("enough");
    expect(await evaluate("1 + 1")).toBe(2);
  });

  it("answers many at the same time, each with its own value", async () => {
    const values = await Promise.all(
      Array.from({ length: 30 }, (_, number) => evaluateExpression(own, `$ + ${number}`, { input: 100 })),
    );
    expect(values).toEqual(Array.from({ length: 30 }, (_, number) => 100 + number));
  });

  it("replaces NUL and halves of characters, which no record holds", async () => {
    expect(await evaluate('{"nul": "a\\u0000b", "half": "\\ud800", "backslash": "\\\\u0000"}')).toEqual({
      nul: "a\ufffdb",
      half: "\ufffd",
      backslash: "\\u0000",
    });
  });

  it("does not keep the process from ending", () => {
    const script = `import { evaluateExpression } from ${JSON.stringify(new URL("./evaluate-expressions.ts", import.meta.url).href)};
      process.stdout.write(String(await evaluateExpression("own", "1 + 1", { input: {} })));`;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 15_000 }).toString()).toBe(
      "2",
    );
  });
});

describe("evaluateExpressions", () => {
  it("gives each expression its own answer, in order", async () => {
    const answers = await evaluateExpressions(own, ["$a + 1", "nothing", "name + 1", "$a"], {
      input: data,
      bindings: { a: 1 },
    });
    expect(answers).toEqual([
      { value: 2 },
      { value: undefined },
      { fault: expect.stringContaining("must evaluate to a number") },
      { value: 1 },
    ]);
  });

  it("keeps what one expression names from the next", async () => {
    expect(await evaluateExpressions(own, ["($x := 1; $x)", "$x"], { input: {} })).toEqual([
      { value: 1 },
      { value: undefined },
    ]);
  });

  it("counts the length of all values together", async () => {
    const answers = await evaluateExpressions(own, ["$", "$"], { input: "x".repeat(3_000_000) });
    expect(answers.map(({ fault }) => fault)).toEqual([undefined, "its value is longer than 5000000 characters"]);
  });

  it("has one second for all of them", async () => {
    await expect(evaluateExpressions(own, ["1", endlessSearch], { input: {} })).rejects.toThrow(
      "takes longer than 1000 ms",
    );
  });

  it("shows nobody the data of another", async () => {
    const spy = "[$, $$, $input, $trigger, $nodes, $node, $kept, $secret]";
    const ask = async (number: number) => {
      const bindings = number % 2 === 0 ? { input: `secret ${number}`, trigger: 1, nodes: 2, node: 3, secret: 4 } : {};
      const [, answer] = await evaluateExpressions(own, [number % 2 === 0 ? "($kept := $input; $kept)" : "1", spy], {
        input: undefined,
        bindings,
      });
      return answer?.fault ?? answer?.value;
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, number) => ask(number)));
    expect(answers.filter((_, number) => number % 2 === 1)).toEqual(Array.from({ length: 20 }, () => []));
  });
});
