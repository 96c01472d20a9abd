import { describe, expect, it } from "vitest";
import type { Server } from "../../api/servers.ts";
import { findServerUrl } from "./organization-servers.ts";

const at = (urlOf: (id: string) => string, ids = ["http", "mysql", "slack"]) =>
  ids.map((id): Server => ({ id, title: id, description: "", url: urlOf(id), ...others }));
const others = { toolCount: 0, credentialTypes: [], usesOAuthOnly: false, tools: [] };

describe("the address of a server that is in no public list", () => {
  it("follows the pattern of the others, wherever the id stands and whatever else contains it", () => {
    expect(
      findServerUrl(
        at((id) => `http://localhost:3100/${id}/mcp`),
        "workflows",
      ),
    ).toBe("http://localhost:3100/workflows/mcp");
    expect(
      findServerUrl(
        at((id) => `https://${id}.example.com/mcp`),
        "workflows",
      ),
    ).toBe("https://workflows.example.com/mcp");
  });

  it("is not guessed when the others have nothing in common", () => {
    expect(
      findServerUrl(
        at((id) => `https://${id}.example.com/${id.length}`),
        "workflows",
      ),
    ).toBeUndefined();
  });
});
