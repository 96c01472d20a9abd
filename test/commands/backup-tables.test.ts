import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { furnishOrganization } from "../support/furnish-organization.ts";
import { signUpOwner } from "../support/people.ts";
import { createBackups, fingerprints, type TestDatabase } from "../support/storage/backups.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

const folder = mkdtempSync(path.join(tmpdir(), "switchyard-backup-tables-"));
const file = path.join(folder, "every-table.backup");
const { backUp, restoreInto, dataDir } = createBackups(folder);
const databases: TestDatabase[] = [];
let source: TestDatabase;

async function makeDatabase(options: { isBlank?: boolean } = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  databases.push(database);
  return database;
}

// What no request leaves behind for long, or what takes a browser and another service to make.
const planted = [
  "INSERT INTO verification (id, identifier, value, expires_at) VALUES (gen_random_uuid(), 'reset', 'some', now() + interval '20 minutes')",
  "INSERT INTO credit_entry (id, organization_id, amount, reason) SELECT gen_random_uuid(), id, 9007199254740993, 'test' FROM organization",
  `INSERT INTO oauth_state (state_hash, organization_id, credential_id, user_id, session_id, code_verifier_sealed, expires_at)
   SELECT '\\x00ff', credential.organization_id, credential.id, user_id, session.id, '\\x01', now() FROM credential, session LIMIT 1`,
  "INSERT INTO slot_worker (id, beat_at, lease_ms, epoch) VALUES (gen_random_uuid(), 'infinity', 1, gen_random_uuid())",
  "INSERT INTO recorder (id, seen_at) VALUES (gen_random_uuid(), '-infinity')",
  `INSERT INTO default_credential (organization_id, credential_type, credential_id) SELECT organization_id, type, id FROM credential`,
  `INSERT INTO run_once (organization_id, key, wish_sha256, run_id) SELECT organization_id, 'once "\\', '\\xabcd', id FROM run`,
  `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone, next_fire_at)
   SELECT organization_id, gen_random_uuid(), id, 'schedule', 'Every hour', true, '{}', '0 * * * *', 'Europe/Berlin', now() FROM workflow`,
  `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, provider_id, poll_id, poll_parameters, poll_mark, next_poll_at)
   SELECT organization_id, gen_random_uuid(), id, 'poll', 'News', true, '[]', 'http', 'new_feed_entry', '{}', 'a "mark"\\', now() FROM workflow`,
  `INSERT INTO webhook_removal (organization_id, id, trigger_id, trigger_name, workflow_name, provider_id, credential_id, place, follows_trigger)
   SELECT organization_id, gen_random_uuid(), gen_random_uuid(), 'Issues "\\', 'Sort', 'github', gen_random_uuid(), 'acme/shop', false FROM workflow`,
  "INSERT INTO polled_item (organization_id, trigger_id, item_id) SELECT organization_id, id, 'entry \"1\\' FROM trigger WHERE kind = 'poll'",
  `INSERT INTO faulty_item (organization_id, trigger_id, item_id, item, fault, tries, next_try_at)
   SELECT organization_id, id, 'entry "1\\', '{"id":"entry \\"1"}', 'It cannot be read.', 3, now() FROM trigger WHERE kind = 'poll'`,
  `INSERT INTO webhook_listening (organization_id, trigger_id, until)
   SELECT organization_id, id, now() + interval '2 minutes' FROM trigger WHERE kind = 'webhook'`,
  `INSERT INTO webhook_address (organization_id, id, sealed) SELECT organization_id, id, '\\x01' FROM trigger WHERE kind = 'webhook'`,
  `INSERT INTO editor_run (organization_id, run_id, workflow_id, based_on, canvas, fingerprints, writes, taken_runs)
   SELECT organization_id, gen_random_uuid(), id, 1, '{"nodes":[]}', '{}', ARRAY['a,"b'], ARRAY[gen_random_uuid()] FROM workflow`,
  `INSERT INTO workflow_pin (organization_id, workflow_id, node_id, outputs)
   SELECT organization_id, id, 'now', '{"out":[{"a":"\\u0000"}]}' FROM workflow`,
  `INSERT INTO workflow_variable (organization_id, name, value) SELECT id, 'planted', '"a \\u0000 \\"text\\""' FROM organization`,
  "INSERT INTO workflow_defaults (organization_id, error_workflow_id) SELECT organization_id, id FROM workflow ON CONFLICT DO NOTHING",
  "INSERT INTO failed_run (organization_id, run_id, error_workflow_id) SELECT organization_id, gen_random_uuid(), id FROM workflow",
  "INSERT INTO oauth_client (id, kind, metadata) VALUES ('client', 'registered', '{}')",
  `INSERT INTO oauth_connection (id, user_id, organization_id, client_id, client_name, resource, server_id, scopes, expires_at)
   SELECT gen_random_uuid(), user_id, organization_id, 'client', 'Client', 'https://example.com', 'github', ARRAY['mcp:invoke', 'a,"b'], now()
   FROM member`,
  `INSERT INTO oauth_token (model, id_sha256, connection_id, scopes, payload, expires_at)
   SELECT 'AccessToken', '\\x12', id, '{}', '{"a":"\\u0000"}', now() FROM oauth_connection`,
  `INSERT INTO consent_ticket (ticket_sha256, interaction_sha256, user_id, decision, expires_at)
   SELECT '\\x34', '\\x56', id, '{}', now() FROM app_user`,
];

beforeAll(async () => {
  source = await makeDatabase();
  const app = await startTestApp({ database: source, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  await furnishOrganization(await signUpOwner(app, "Ann"), { baseUrl: "https://github.example.com", tag: "ann" });
  // So that nothing is written any more between the backup and the comparison with it.
  await app.stop();
  for (const statement of planted) await source.query(statement);
  await backUp(source, file);
}, 120_000);
afterAll(async () => {
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a backup of a database with something in every table", { timeout: 60_000 }, () => {
  it("is one of every table there is: whoever adds a table plants a row of it in this test", async () => {
    const empty = Object.entries(await fingerprints(source)).filter(([, { rows, isPart }]) => rows === 0 && !isPart);
    expect(empty).toEqual([]);
  });

  it("brings back every row of every table as it was, also of tables named like a type of the database", async () => {
    const blank = await makeDatabase({ isBlank: true });
    await restoreInto(blank, file);
    expect(await fingerprints(blank)).toEqual(await fingerprints(source));
  });

  it("can be taken again from what was restored", async () => {
    const [first, second] = [await makeDatabase({ isBlank: true }), await makeDatabase({ isBlank: true })];
    await restoreInto(first, file);
    const again = path.join(folder, "again.backup");
    await backUp(first, again);
    await restoreInto(second, again);
    expect(await fingerprints(second)).toEqual(await fingerprints(source));
  });

  it("names every key to keep: those of the environment, or both files once the key was changed", async () => {
    const keysNamed = async (options?: { masterKey: string }) => {
      const { keepSeparately } = await backUp(source, path.join(folder, `${Math.random()}.backup`), options);
      return keepSeparately;
    };
    expect(await keysNamed()).toEqual(["SWITCHYARD_MASTER_KEY"]);
    mkdirSync(dataDir, { recursive: true });
    const [current, previous] = [path.join(dataDir, "master.key"), path.join(dataDir, "master-previous.keys")];
    writeFileSync(current, `${Buffer.alloc(32, "b").toString("base64")}\n`);
    expect(await keysNamed({ masterKey: "" })).toEqual([current]);
    writeFileSync(previous, `${Buffer.alloc(32, "a").toString("base64")}\n`);
    expect(await keysNamed({ masterKey: "" })).toEqual([current, previous]);
  });
});
