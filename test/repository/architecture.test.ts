import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkArchitecture, listUnusedPermissions } from "./architecture/check-architecture.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("the files of this repository", () => {
  const names = globSync("{src,web}/**/*.{ts,tsx}", { cwd: root, exclude: ["**/node_modules/**"] }).map((name) =>
    name.replaceAll(path.sep, "/"),
  );
  const files = new Map(names.map((name) => [name, readFileSync(path.join(root, name), "utf8")]));

  it("keep to the import directions", () => {
    expect(files.size).toBeGreaterThan(20);
    expect(checkArchitecture(files)).toEqual([]);
  });

  it("use every direction that the table allows", () => {
    expect(listUnusedPermissions(files)).toEqual([]);
    const without = new Map([...files].filter(([name]) => !name.startsWith("src/doctor/")));
    expect(listUnusedPermissions(without)).toEqual([
      "doctor → ground",
      "doctor → oauth",
      "doctor → vault",
      "doctor → door",
      "doctor → base",
    ]);
  });
});

describe("the check of import directions", () => {
  const refused: readonly [string, string, string][] = [
    ["a feature importing a door", "src/vault/vault.ts", 'import { x } from "../gateway/server.ts";'],
    ["a door importing a provider", "src/gateway/mcp.ts", 'import { x } from "../providers/slack/index.ts";'],
    ["a door importing the other door", "src/gateway/mcp.ts", 'import { x } from "../platform/server.ts";'],
    ["workflows importing oauth", "src/workflows/start-run.ts", 'import { x } from "../oauth/consent.ts";'],
    ["oauth importing workflows", "src/oauth/consent.ts", 'import { x } from "../workflows/start-run.ts";'],
    ["slots importing history", "src/slots/slots.ts", 'import type { X } from "../history/record.ts";'],
    ["records importing history", "src/records/live.ts", 'import { x } from "../history/list-calls.ts";'],
    ["vault importing identity", "src/vault/vault.ts", 'import { x } from "../identity/members.ts";'],
    ["history importing vault", "src/history/record.ts", 'import { x } from "../vault/seal.ts";'],
    ["catalog importing storage", "src/catalog/catalog.ts", 'import { x } from "../storage/database.ts";'],
    ["a provider importing a feature", "src/providers/slack/client.ts", 'import { x } from "../../vault/vault.ts";'],
    [
      "a provider importing another provider",
      "src/providers/slack/client.ts",
      'import { x } from "../gmail/client.ts";',
    ],
    ["a provider importing a wire file", "src/providers/slack/client.ts", 'import { x } from "../../vault/wire.ts";'],
    ["the contract importing a feature", "src/contract/action.ts", 'import { x } from "../vault/vault.ts";'],
    ["the contract importing a package other than zod", "src/contract/action.ts", 'import { x } from "undici";'],
    ["storage importing a feature", "src/storage/database.ts", 'import { x } from "../identity/members.ts";'],
    ["base importing storage", "src/base/log.ts", 'import { x } from "../storage/database.ts";'],
    ["what the doors share importing a feature", "src/door/access.ts", 'import { x } from "../identity/members.ts";'],
    ["config importing a feature", "src/config.ts", 'import { x } from "./vault/seal.ts";'],
    ["a feature importing the settings", "src/vault/vault.ts", 'import type { Config } from "../config.ts";'],
    ["a feature importing a start-up file", "src/vault/vault.ts", 'import { x } from "../app.ts";'],
    ["the web UI importing the server", "web/api.ts", 'import { x } from "../src/vault/vault.ts";'],
    ["the web UI importing the rest of the ground", "web/api.ts", 'import { x } from "../src/base/log.ts";'],
    ["a wire file importing its feature", "src/vault/wire.ts", 'import { x } from "./vault.ts";'],
    ["a wire file importing a package other than zod", "src/vault/wire.ts", 'import { x } from "kysely";'],
    ["a store used outside its folder", "src/gateway/mcp.ts", 'import { x } from "../history/store.ts";'],
    [
      "a second store used outside its folder",
      "src/gateway/mcp.ts",
      'import { x } from "../identity/api-key-store.ts";',
    ],
    ["a barrel", "src/vault/index.ts", "export {};"],
    ["a name that says nothing", "src/vault/vault-helpers.ts", "export {};"],
  ];
  it.each(refused)("refuses %s", (_, file, text) => {
    expect(checkArchitecture(new Map([[file, text]]))).not.toEqual([]);
  });

  const forms = [
    'import "../gateway/server.ts";',
    'import type { X } from "../gateway/server.ts";',
    'export { x } from "../gateway/server.ts";',
    'export * from "../gateway/server.ts";',
    'export const load = () => import("../gateway/server.ts");',
    'export type X = import("../gateway/server.ts").X;',
  ];
  it.each(forms)("sees %s", (text) => {
    expect(checkArchitecture(new Map([["src/vault/vault.ts", text]]))).toEqual([
      "src/vault/vault.ts must not import src/gateway/server.ts",
    ]);
  });

  it("refuses import cycles, and names the way around", () => {
    const files = new Map([
      ["src/vault/a.ts", 'import { b } from "./b.ts";'],
      ["src/vault/b.ts", 'import type { C } from "./c.ts";'],
      ["src/vault/c.ts", 'import { a } from "./a.ts";'],
    ]);
    expect(checkArchitecture(files)).toEqual([
      "import cycle: src/vault/a.ts → src/vault/b.ts → src/vault/c.ts → src/vault/a.ts",
    ]);
  });

  it("refuses a folder that the table does not know", () => {
    expect(() => checkArchitecture(new Map([["src/novelty/a.ts", 'import { b } from "../base/ids.ts";']]))).toThrow(
      "not in the table",
    );
  });

  it("accepts what the table allows", () => {
    const files = new Map([
      ["src/app.ts", 'import { x } from "./gateway/server.ts";'],
      ["src/commands/keys.ts", 'import { x } from "../identity/api-keys.ts";'],
      ["src/gateway/call-tool.ts", 'import { x } from "../calls/execute.ts";'],
      ["src/door/access.ts", 'import type { Role } from "../identity/wire.ts";'],
      ["src/vault/connect.ts", 'import { x } from "./store.ts";'],
      ["src/vault/vault.test.ts", 'import { x } from "../gateway/server.ts";'],
      [
        "src/providers/gmail/index.ts",
        'import { x } from "../_google/client.ts"; import { y } from "../../contract/action.ts";',
      ],
      ["web/api.ts", 'import { x } from "../src/vault/wire.ts"; import "./styles.css";'],
      ["web/pages/scopes.ts", 'import { splitScopes } from "../../src/base/split-scopes.ts";'],
    ]);
    expect(checkArchitecture(files)).toEqual([]);
  });
});

describe("the decisions", () => {
  const files = globSync("docs/decisions/*.md", { cwd: root }).map((name) => path.basename(name));
  const numberOf = (file: string) => Number(file.slice(0, 4));

  it("have each a number of their own, without a gap, which their title repeats", () => {
    const numbers = files.map(numberOf).toSorted((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const file of files)
      expect(readFileSync(path.join(root, "docs/decisions", file), "utf8"), file).toMatch(
        new RegExp(`^# ${numberOf(file)}\\. `),
      );
  });

  it("are there wherever one is named", () => {
    const texts = globSync(["{src,web,test,scripts,bench}/**/*.{ts,tsx,mjs}", "docs/**/*.md", "*.md"], {
      cwd: root,
      exclude: ["**/node_modules/**"],
    });
    const named = texts.flatMap((name) => [
      ...readFileSync(path.join(root, name), "utf8").matchAll(/\bdecisions? (\d+)/g),
    ]);
    expect(named.length).toBeGreaterThan(3);
    const known = files.map(numberOf);
    expect(named.filter(([, number]) => !known.includes(Number(number))).map(([words]) => words)).toEqual([]);
  });
});
