import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { joinScopes } from "./join-scopes.ts";

it("puts what is chosen and what is typed together, each once and in any of the ways that people write scopes", () => {
  expect(joinScopes(["read"], "write, read\n admin")).toBe("read write admin");
  expect(joinScopes([], " ,\n")).toBeUndefined();
});

it("reads scopes as the server does: there is one function for it", () => {
  const root = path.resolve(import.meta.dirname, "../../..");
  const own = globSync("{web,src}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/*.test.ts"],
  }).filter((file) => /const splitScopes\b|function splitScopes\b/.test(readFileSync(path.join(root, file), "utf8")));
  expect(own).toEqual(["src/base/split-scopes.ts"]);
});
