import { describe, expect, it } from "vitest";
import { namedVariables } from "./named-variables.ts";

describe("variables that a value names", () => {
  it.each([
    [{ text: "plain" }, [], false],
    [{ to: "$vars.region" }, ["region"], false],
    [{ to: "{{ $vars.b & $vars.`a` }}", rows: [{ field: "$vars.b" }] }, ["a", "b"], false],
    [{ to: "$lookup($vars, $input.name)" }, [], true],
    [{ to: '$vars["region"]' }, [], true],
    [{ to: `$vars.${"a".repeat(64)} $vars.${"b".repeat(65)}` }, ["a".repeat(64)], true],
    [{ to: "$varsity.region and $vars_2" }, [], false],
  ])("%j: %j, any: %j", (value, names, isAny) => {
    expect(namedVariables(value)).toEqual({ names, isAny });
  });
});
