import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import {
  cloneBindings as bindings,
  evaluateByCall as evaluate,
  forgedData as forged,
  hostilePieces,
  probes,
  spoil,
  spy,
} from "../support/hostile-expressions.ts";
import { signUpOwner } from "../support/people.ts";
import { roundsLimitMs, roundsOf, seed } from "../support/rounds.ts";

let mcp: McpApp;
/** Of two organizations that know nothing of each other. */
let attacker: McpClient;
let other: McpClient;

beforeAll(async () => {
  mcp = await startMcpApp({
    environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "1000000", SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "50" },
  });
  attacker = mcp.client;
  const bob = await signUpOwner(mcp.app, "Bob");
  const { key } = await mcp.createKey(["mcp:invoke"], bob.organizationId);
  other = createMcpClient(mcp.app.gatewayUrl, { "x-api-key": key });
});
afterAll(() => mcp?.stop());

const check = async (client: McpClient) => {
  for (const [expression, value] of probes)
    expect({ expression, value: await evaluate(client, expression) }).toEqual({ expression, value });
};

describe("an expression of one organization", () => {
  it("does not change what those of another mean, nor see their data", async () => {
    await check(other);
    await evaluate(attacker, bindings["by assignment"](spoil("sum", "function($a){ 0 }")));
    await evaluate(attacker, bindings["by assignment"](spoil("uppercase", spy)));
    await check(other);
    const secret = "the secret of the other organization";
    expect(await evaluate(other, "$map([text], function($t){ $uppercase($t) })", { text: secret })).toBe(
      secret.toUpperCase(),
    );
    const seen = await evaluate(
      attacker,
      '($clone := function($x){ $x }; {"f": $lowercase} ~> |f|{}, "_jsonata_function"|; $lowercase.kept)',
    );
    expect(JSON.stringify(seen)).not.toContain("secret of");
    await check(attacker);
  });

  it.each(Object.entries(bindings))("is refused when it gives the name clone to something, %s", async (_, bind) => {
    expect(await evaluate(attacker, bind("1"))).toBe("validation_failed");
    await check(attacker);
    await check(other);
  });

  it("may use the name clone for what it is", async () => {
    expect(await evaluate(attacker, '$clone({"a": [1]}).a')).toEqual([1]);
  });
});

describe("hostile expressions of two organizations", () => {
  const piece = fc.constantFrom(...hostilePieces);
  const bind = fc.constantFrom(
    ...Object.values(bindings),
    (work: string) => `(${work})`,
    (work: string) => `($f := $uppercase ~> $trim; ${work})`,
  );
  const hostile = fc
    .tuple(bind, fc.array(piece, { minLength: 1, maxLength: 4 }))
    .map(([put, pieces]) => put(pieces.join("; ")));
  it(
    "change nothing for the other one, nor for the next expression of their own",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(hostile, { minLength: 1, maxLength: 6 }),
          fc.boolean(),
          async (expressions, isSwapped) => {
            const [one, two] = isSwapped ? [other, attacker] : [attacker, other];
            await Promise.all(expressions.map((expression) => evaluate(one, expression, forged)));
            await Promise.all([check(two), check(one)]);
          },
        ),
        { numRuns: roundsOf(25, 1_000), seed },
      );
    },
    roundsLimitMs,
  );
});

describe("an organization that floods its process", () => {
  const trivial = "$map([1], function($n){ $n + 1 })";
  const endlessSearch = `$match("${"a".repeat(60)}b", /(a+)+$/)`;

  it("is told that its expression takes too long, and does not make another wait", async () => {
    await check(other);
    const flood = Promise.all(
      Array.from({ length: 8 }, (_, number) => evaluate(attacker, `$string(${number}) & ${endlessSearch}`)),
    );
    const waits: number[] = [];
    for (let round = 0; round < 20; round++) {
      const startedAt = performance.now();
      await evaluate(other, trivial);
      waits.push(performance.now() - startedAt);
    }
    expect(waits.toSorted((one, next) => one - next)[10]).toBeLessThan(400);
    expect(new Set(await flood)).toEqual(new Set(["expression_timeout"]));
  }, 60_000);

  it("does not hold up the server with long texts that are only to be read", async () => {
    const { browser, organizationId } = mcp.owner;
    const text = `{{ ${"a[%.b].".repeat(2_500)}a }}`;
    const nodes = Array.from({ length: 10 }, (_, number) => ({
      id: `n${number}`,
      nodeId: "set_fields",
      parameters: { fields: { a: text } },
    }));
    const checked = browser.post(`/api/organizations/${organizationId}/workflows/check`, {
      canvas: { nodes, edges: [] },
    });
    let longestMs = 0;
    let isChecked = false;
    void checked.then(() => (isChecked = true));
    while (!isChecked) {
      const startedAt = performance.now();
      await fetch(`${mcp.app.gatewayUrl}/health`);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
    }
    expect((await checked).status).toBe(200);
    expect(longestMs).toBeLessThan(1_000);
  }, 60_000);

  it("cannot make the server itself parse for long", async () => {
    const { browser, organizationId } = mcp.owner;
    const nested = `${"(".repeat(28)}a${" ?? b)".repeat(28)}`;
    const nodes = [{ id: "n", nodeId: "set_fields", parameters: { fields: { a: `{{ ${nested} }}` } } }];
    const startedAt = performance.now();
    const { status } = await browser.post(`/api/organizations/${organizationId}/workflows/check`, {
      canvas: { nodes, edges: [] },
    });
    expect(status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }, 60_000);
});

it("measures the evaluation and not the way of the data to it", async () => {
  const data = { text: "x".repeat(4_000_000), more: Array.from({ length: 40_000 }, (_, number) => number) };
  expect(await evaluate(other, "$map([text], function($t){ $length($t) })", data)).toBe(4_000_000);
}, 60_000);
