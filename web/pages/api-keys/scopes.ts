import type { ApiKeyScope } from "../../../src/identity/wire.ts";

/** What each scope lets a key do, in words. */
export const scopeWords: Record<ApiKeyScope, { name: string; description: string }> = {
  "mcp:invoke": {
    name: "Call tools",
    description: "List and call the tools of the MCP servers, with the accounts of the organization.",
  },
  "workflows:trigger": {
    name: "Start workflows",
    description: "Start any workflow of the organization, and read how its runs went.",
  },
};

export const scopesInOrder: ApiKeyScope[] = ["mcp:invoke", "workflows:trigger"];
