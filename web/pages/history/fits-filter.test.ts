import { expect, it } from "vitest";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { fitsCallFilter, fitsRunFilter } from "./fits-filter.ts";

const call = {
  status: "failed",
  serverId: "github",
  tool: "github_create_issue",
  apiKeyId: "key",
  source: "mcp",
  queuedAt: "2026-01-02T00:00:00.000Z",
} as ToolCallEntry;
const run = {
  status: "failed",
  executionType: "api",
  workflowId: "flow",
  workflowName: "Weekly Report",
  apiKeyId: "key",
  createdAt: "2026-01-02T00:00:00.000Z",
  error: { code: "x", message: "No such Channel", nodeId: null },
} as RunEntry;

it("lets everything through without a filter", () => {
  expect([fitsCallFilter({})?.(call), fitsRunFilter({})(run)]).toEqual([true, true]);
});

it.each([
  ["status", "failed", "success"],
  ["serverId", "github", "slack"],
  ["tool", "github_create_issue", "github_list_issues"],
  ["apiKeyId", "key", "other"],
  ["source", "mcp", "platform"],
  ["from", "2026-01-02T00:00:00.000Z", "2026-01-02T00:00:00.001Z"],
  ["to", "2026-01-02T00:00:00.001Z", "2026-01-02T00:00:00.000Z"],
])("judges a call by its %s", (name, fitting, other) => {
  expect([fitsCallFilter({ [name]: fitting })?.(call), fitsCallFilter({ [name]: other })?.(call)]).toEqual([
    true,
    false,
  ]);
});

it("leaves a text search in calls to the server, which knows the parameters", () => {
  expect(fitsCallFilter({ search: "github" })).toBeUndefined();
});

it.each([
  ["status", "failed", "succeeded"],
  ["executionType", "api", "manual"],
  ["workflowId", "flow", "other"],
  ["apiKeyId", "key", "other"],
  ["from", "2026-01-02T00:00:00.000Z", "2026-01-02T00:00:00.001Z"],
  ["to", "2026-01-02T00:00:00.001Z", "2026-01-02T00:00:00.000Z"],
  ["search", "weekly rep", "monthly"],
  ["search", "channel", "nobody"],
])("judges a run by its %s", (name, fitting, other) => {
  expect([fitsRunFilter({ [name]: fitting })(run), fitsRunFilter({ [name]: other })(run)]).toEqual([true, false]);
});
