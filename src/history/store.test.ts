import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import { silentLog } from "../../test/support/storage/test-postgres.ts";
import { newId } from "../base/ids.ts";
import { createPartitions } from "../records/partitions.ts";
import { type TableOf, wholeTable } from "../records/table-of.ts";
import { createDatabase, type Database } from "../storage/database.ts";
import { type CallEnd, endCalls, insertCalls, type NewCallRow } from "./store.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const organizationId = newId();
const owner = newId();

const openCall = (more: Partial<NewCallRow> = {}): NewCallRow => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  status: "running",
  apiKeyId: null,
  apiKeyName: null,
  oauthClientId: null,
  oauthClientName: null,
  userId: null,
  userName: null,
  parameters: "{}",
  credentials: "{}",
  outputs: null,
  errorCode: null,
  errorMessage: null,
  traceId: null,
  requestId: null,
  replayOf: null,
  queuedAt: new Date(),
  startedAt: new Date(),
  completedAt: null,
  queueMs: 0,
  durationMs: null,
  truncated: false,
  sanitized: false,
  owner,
  ...more,
});
const endOf = ({ id }: NewCallRow): CallEnd => ({
  organizationId,
  id,
  status: "success",
  outputs: "{}",
  errorCode: null,
  errorMessage: null,
  completedAt: new Date(),
  durationMs: 1,
  truncated: false,
  sanitized: false,
});

it("keeps the values of a column that only some calls of a batch have", async () => {
  const calls = [openCall(), openCall({ apiKeyName: 'a "quoted", {name}' }), openCall({ traceId: "trace" })];
  await insertCalls(db, calls);
  const rows = await database.query(
    "SELECT api_key_name, trace_id, user_name FROM tool_call WHERE id = ANY($1) ORDER BY id",
    [calls.map(({ id }) => id)],
  );
  expect(rows).toEqual([
    { api_key_name: null, trace_id: null, user_name: null },
    { api_key_name: 'a "quoted", {name}', trace_id: null, user_name: null },
    { api_key_name: null, trace_id: "trace", user_name: null },
  ]);
});

it("finds calls that end by their ids, never among all that were open since the last vacuum", async () => {
  for (let batch = 0; batch < 10; batch++) {
    const calls = Array.from({ length: 500 }, () => openCall());
    await insertCalls(db, calls);
    await endCalls(db, calls.map(endOf));
  }
  await database.query("ANALYZE tool_call");
  const calls = Array.from({ length: 25 }, () => openCall());
  await insertCalls(db, calls);
  const { tableOf, upkeep } = createPartitions({ db, target: database.target, log: silentLog });
  await upkeep.run();
  for (const plan of [await explainEnd(calls, wholeTable), await explainEnd(calls, tableOf)]) {
    expect(plan).toMatch(/Index Scan using tool_call_\d{4}_\d{2}_pkey/);
    expect(plan).not.toMatch(/status_organization_id_id_idx/);
  }
});

async function explainEnd(calls: NewCallRow[], tableOf: TableOf): Promise<string> {
  let plan = "";
  const explaining: Pick<Database, "prepared"> = {
    async prepared<Row>({ text }: { text: string }, values: unknown[]): Promise<Row[]> {
      plan = JSON.stringify(await db.prepared({ name: "", text: `EXPLAIN ${text}` }, values));
      return [];
    },
  };
  await endCalls(explaining as Database, calls.map(endOf), tableOf);
  return plan;
}
