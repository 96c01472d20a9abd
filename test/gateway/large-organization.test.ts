import { afterAll, beforeAll, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

// What the platform tools say does not take longer because there is more: they count so far and no further.
let mcp: McpApp;
const counted = 1_000;
const stored = counted + 200;

beforeAll(async () => {
  mcp = await startMcpApp();
  const { organizationId, userId } = mcp.owner;
  const fill = (text: string, ...values: unknown[]) => mcp.app.database.query(text, [organizationId, ...values]);
  await fill(
    `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at)
     SELECT $1, uuidv7(), gen_random_uuid(), 1, 'api', 'succeeded', '{}', now() FROM generate_series(1, ${stored})`,
  );
  await fill(
    `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
     SELECT $1, uuidv7(), 'mcp', 'slack', 'slack_send_message', 'success', '{}', '{}', now(), 0, false, false, $2 FROM generate_series(1, ${stored})`,
    userId,
  );
  await fill(
    `INSERT INTO credential (id, organization_id, type, kind, name, sealed, public_data)
     SELECT gen_random_uuid(), $1, 'http_auth', 'custom', 'Account ' || number, '', '{"authKind":"none"}' FROM generate_series(1, ${stored}) AS number`,
  );
});
afterAll(() => mcp?.stop());

const call = async (name: string, given: object = {}) => {
  const client = mcp.connect("platform", ["platform:read"]);
  const { json } = await client.modern("platform", "tools/call", { name, arguments: given });
  return json.result?.structuredContent as Record<string, unknown[]> & { total: number; nextCursor: string | null };
};

it.each([
  ["platform_list_executions", "executions"],
  ["platform_list_tool_invocations", "toolInvocations"],
  ["platform_list_credentials", "credentials"],
])("%s counts to a thousand, and leads to all there are", async (name, field) => {
  expect(await call(name)).toMatchObject({ total: counted });
  let seen = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call(name, { limit: 50, ...(cursor === undefined ? {} : { cursor }) });
    seen += page[field]?.length ?? 0;
    cursor = page.nextCursor;
  }
  expect(seen).toBeGreaterThanOrEqual(stored);
});

it("counts exactly what a search for accounts finds, where that is less", async () => {
  expect(await call("platform_list_credentials", { search: "Account 11" })).toMatchObject({ total: 111 });
});
