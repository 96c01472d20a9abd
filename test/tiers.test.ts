import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alone, fullTier } from "./tiers.ts";

describe("the tiers of tests", () => {
  it.each([...Object.values(fullTier).flat(), ...alone])("name files that exist: %s", (pattern) => {
    // Node knows no `!(…)`; without it the pattern finds what it leaves out too, which is enough here.
    expect(globSync(pattern.replace(/!\(.*?\)/, "*"))).not.toEqual([]);
  });

  it("are what CONTRIBUTING.md tells people", () => {
    const told = readFileSync("CONTRIBUTING.md", "utf8");
    for (const kind of Object.keys(fullTier)) expect(told).toContain(`| ${kind}`);
  });
});
