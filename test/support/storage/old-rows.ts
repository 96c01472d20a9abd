import { createHash, randomUUID } from "node:crypto";
import { newId } from "../../../src/base/ids.ts";
import { hashApiKey, hintOfApiKey, newApiKeyText } from "../../../src/identity/api-key-text.ts";
import { createPasswordHashing } from "../../../src/identity/password-hashing.ts";
import { createSeal } from "../../../src/vault/seal.ts";
import { password } from "../people.ts";
import type { createTestDatabase } from "./test-database.ts";

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;
type Planted = { since: number; table: string; row: Record<string, unknown> };

const canvas = JSON.stringify({
  nodes: [{ id: "hello", nodeId: "set_fields", parameters: { fields: { text: "Hello" } } }],
  edges: [],
});

/** What the product had written when the given migration was its newest: written as then, so nothing here follows a later migration. */
export async function plantOldRows(database: TestDatabase, version: number) {
  const ids = {
    user: newId(),
    organization: newId(),
    credential: newId(),
    workflow: newId(),
    call: newId(),
    run: newId(),
  };
  const key = newApiKeyText();
  const rows = [
    ...(await describePeople(ids, key)),
    ...describeVault(ids),
    ...describeWork(ids, version),
    ...describeTriggers(ids),
  ];
  const planted = rows.filter(({ since }) => since <= version);
  for (const { table, row } of planted) {
    const places = Object.keys(row).map((_, index) => `$${index + 1}`);
    await database.query(
      `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${places.join(", ")})`,
      Object.values(row),
    );
  }
  const tables = [...new Set(planted.map(({ table }) => table))];
  return { ...ids, key, email: "ann@example.com", tables, token: "canary-token" };
}

/** The rows of these tables, each with the columns it has now. */
export async function readRows(
  { query }: TestDatabase,
  tables: string[],
): Promise<Record<string, Record<string, unknown>[]>> {
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const table of tables) {
    const rows = await query<{ one: Record<string, unknown> }>(
      `SELECT row_to_json(one) AS one FROM ${table} AS one ORDER BY one::text`,
    );
    found[table] = rows.map(({ one }) => one);
  }
  return found;
}

type Ids = Record<"user" | "organization" | "credential" | "workflow" | "call" | "run", string>;

async function hashOnce(text: string): Promise<string> {
  const hashing = createPasswordHashing();
  try {
    return await hashing.hash(text);
  } finally {
    await hashing.close();
  }
}

async function describePeople({ user, organization }: Ids, key: string): Promise<Planted[]> {
  const account = {
    id: newId(),
    account_id: user,
    provider_id: "credential",
    user_id: user,
    password: await hashOnce(password),
  };
  const apiKey = {
    id: newId(),
    organization_id: organization,
    name: "CI",
    hash: hashApiKey(key),
    hint: hintOfApiKey(key),
  };
  return [
    { since: 1, table: "app_user", row: { id: user, name: "Ann", email: "ann@example.com" } },
    { since: 1, table: "account", row: account },
    { since: 1, table: "organization", row: { id: organization, name: "Ann's team" } },
    { since: 1, table: "member", row: { id: newId(), organization_id: organization, user_id: user, role: "owner" } },
    { since: 1, table: "api_key", row: { ...apiKey, scopes: ["workflows:trigger", "mcp:invoke"] } },
  ];
}

function describeVault({ organization, credential }: Ids): Planted[] {
  const { seal, currentKeyId } = createSeal(() => ({ current: Buffer.alloc(32, "master"), previous: [] }));
  const data = { kind: "bearer", accessToken: "canary-token" };
  const keyId = currentKeyId();
  const sealed = seal(JSON.stringify(data), { organizationId: organization, credentialId: credential });
  const named = { id: credential, organization_id: organization, type: "github", kind: "bearer", name: "GitHub" };
  const check = { key_id: keyId, sealed: seal("switchyard", { organizationId: "master key", credentialId: keyId }) };
  const defaultCredential = { organization_id: organization, credential_type: "github", credential_id: credential };
  return [
    { since: 2, table: "credential", row: { ...named, sealed, public_data: JSON.stringify({ kind: "bearer" }) } },
    { since: 2, table: "master_key_check", row: check },
    { since: 5, table: "default_credential", row: defaultCredential },
    { since: 6, table: "credit_entry", row: { id: newId(), organization_id: organization, amount: 5, reason: "gift" } },
  ];
}

function describeWork({ organization, workflow, call, run }: Ids, version: number): Planted[] {
  const now = new Date();
  const inside = { organization_id: organization };
  const times = { queued_at: now, started_at: now, completed_at: now };
  const toolCall = {
    ...inside,
    id: call,
    source: "mcp",
    server_id: "system",
    tool: "system_current_time",
    status: "success",
    ...times,
  };
  const texts = {
    parameters: "{}",
    credentials: "{}",
    outputs: "[]",
    queue_ms: 0,
    duration_ms: 3,
    truncated: false,
    sanitized: false,
  };
  const kinds = version < 15 ? {} : { node_kinds: ["set_fields"] };
  const firstVersion = {
    ...inside,
    workflow_id: workflow,
    version: 1,
    canvas,
    canvas_sha256: createHash("sha256").update(canvas).digest(),
  };
  const trigger = JSON.stringify({ source: "api", sender: {}, prompt: "", payload: null });
  const oldRun = {
    ...inside,
    id: run,
    workflow_id: workflow,
    workflow_version: 1,
    kind: "api",
    status: "succeeded",
    trigger_data: trigger,
  };
  const node = {
    ...inside,
    run_id: run,
    node_id: "hello",
    node_type: "set_fields",
    status: "succeeded",
    attempts: 1,
    done: 0,
    duration_ms: 1,
  };
  return [
    { since: 4, table: "tool_call", row: { ...toolCall, ...texts, owner: randomUUID() } },
    { since: 7, table: "workflow", row: { ...inside, id: workflow, name: "Hello", node_count: 1, ...kinds } },
    { since: 7, table: "workflow_version", row: firstVersion },
    { since: 8, table: "run", row: { ...oldRun, ...times, epoch: 1 } },
    {
      since: 8,
      table: "run_node",
      row: { ...node, outputs: JSON.stringify({ out: [{ text: "Hello" }] }), started_at: now, completed_at: now },
    },
    { since: 8, table: "run_once", row: { ...inside, key: "wish", wish_sha256: Buffer.alloc(32), run_id: run } },
  ];
}

function describeTriggers({ user, organization, workflow }: Ids): Planted[] {
  const inside = { organization_id: organization, id: newId() };
  const schedule = {
    ...inside,
    workflow_id: workflow,
    kind: "schedule",
    name: "Yearly",
    is_active: true,
    overrides: "[]",
  };
  const times = { cron: "0 0 1 1 *", time_zone: "UTC", next_fire_at: new Date(Date.now() + 86_400_000) };
  const connection = {
    id: newId(),
    user_id: user,
    organization_id: organization,
    client_id: "client",
    client_name: "Editor",
  };
  const resource = { resource: "http://localhost:3100/system/mcp", server_id: "system", scopes: ["mcp:tools"] };
  const soon = new Date(Date.now() + 86_400_000);
  return [
    { since: 9, table: "trigger", row: { ...schedule, ...times } },
    { since: 11, table: "oauth_client", row: { id: "client", kind: "registered", metadata: "{}" } },
    { since: 11, table: "oauth_connection", row: { ...connection, ...resource, expires_at: soon } },
  ];
}
