import { matchesRule } from "../base/match-rule.ts";
import type { VerifiedCaller } from "../identity/api-keys.ts";
import { toReference } from "../vault/reference.ts";
import type { ToolView } from "./mcp-caller.ts";

/** What a key's rules and the default credentials make of one server; undefined when they change nothing anywhere. */
export function createKeyView(serverId: string, { toolRules, defaultCredentials }: KeyRules): ToolView | undefined {
  if (toolRules === null && defaultCredentials === null) return undefined;
  const references = Object.entries(defaultCredentials ?? {}).map(
    ([type, credentialId]) => [type, toReference(credentialId)] as const,
  );
  return {
    allows: (toolName) =>
      toolRules === null || toolRules.some((rule) => matchesRule(rule, serverId) || matchesRule(rule, toolName)),
    defaults: new Map(references),
  };
}

type KeyRules = Pick<VerifiedCaller, "toolRules" | "defaultCredentials">;
