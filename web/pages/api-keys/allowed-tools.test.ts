import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolRules } from "../../../src/identity/wire.ts";
import type { Server } from "../../api/servers.ts";
import { countAllowedTools, findAllowedTools, isRule } from "./allowed-tools.ts";

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const tool = (name: string) => ({
  name,
  title: name,
  description: "",
  inputSchema: {},
  outputSchema: {},
  credentials: [],
  alsoTakes: [],
  worksWithoutAccount: true,
  annotations,
});
const server = (id: string, names: string[], usesOAuthOnly = false): Server => ({
  id,
  title: id,
  description: "",
  url: "",
  credentialTypes: [],
  usesOAuthOnly,
  toolCount: names.length,
  tools: names.map(tool),
});
const servers = [
  server("slack", ["slack_send_message", "slack_search_messages"]),
  server("github", ["github_search_issues"]),
  server("platform", ["platform_get_me"], true),
];

describe("the rules of a key in the page", () => {
  it("are written as the API wants them", () => {
    const text = fc.oneof(fc.stringMatching(/^[a-zA_0*-]{0,70}$/), fc.string());
    fc.assert(fc.property(text, (rule) => isRule(rule) === toolRules.safeParse([rule]).success));
  });

  it("leave whole servers, single tools and what a pattern fits, and never what takes no key", () => {
    const namesOf = (rules: string[] | null) =>
      findAllowedTools(servers, rules).flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(namesOf(["slack"])).toEqual(["slack_send_message", "slack_search_messages"]);
    expect(namesOf(["*_search_*"])).toEqual(["slack_search_messages", "github_search_issues"]);
    expect(namesOf(["platform", "github_search_issues"])).toEqual(["github_search_issues"]);
    expect(countAllowedTools(servers, null)).toBe(3);
    expect(countAllowedTools(servers, ["nothing"])).toBe(0);
  });
});
