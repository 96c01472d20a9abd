import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alone, fullTier } from "../tiers.ts";

describe("the tiers of tests", () => {
  it.each([...Object.values(fullTier).flat(), ...alone].flatMap(expandBraces))(
    "name files that exist: %s",
    (pattern) => {
      // Node knows no `!(…)`; without it the pattern finds what it leaves out too, which is enough here.
      expect(globSync(pattern.replace(/!\(.*?\)/, "*"))).not.toEqual([]);
    },
  );

  it("are read one name at a time", () => {
    expect(expandBraces("test/{a,b}/{c,d}.ts")).toEqual(["test/a/c.ts", "test/a/d.ts", "test/b/c.ts", "test/b/d.ts"]);
  });

  it("are what CONTRIBUTING.md tells people", () => {
    const told = readFileSync("CONTRIBUTING.md", "utf8");
    for (const kind of Object.keys(fullTier)) expect(told).toContain(`| ${kind}`);
  });
});

/** A pattern with `{a,b}` finds something as long as one of them is there; each must be. */
function expandBraces(pattern: string): string[] {
  const [all, names] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  return all === undefined || names === undefined
    ? [pattern]
    : names.split(",").flatMap((name) => expandBraces(pattern.replace(all, name)));
}
