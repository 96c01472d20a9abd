import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSql, startTestPostgres } from "../../test/support/storage/test-postgres.ts";
import type { ConnectionTarget } from "./database.ts";
import { migrate, migrationsFolder } from "./migrate.ts";

let server: Awaited<ReturnType<typeof startTestPostgres>>;
let folder: string;
let target: ConnectionTarget;
let before: Awaited<ReturnType<typeof describeAll>>;
let after: Awaited<ReturnType<typeof describeAll>>;
const organization = "'01900000-0000-7000-8000-000000000001'";
const [callAhead, runAhead] = ["01ffffff-0000-7000-8000-000000000000", "01ffffff-0000-7000-8000-000000000001"];

beforeAll(async () => {
  server = await startTestPostgres();
  folder = await mkdtemp(path.join(tmpdir(), "switchyard-migrations-"));
  for (const file of (await readdir(migrationsFolder)).filter((name) => name < "0013"))
    await cp(path.join(migrationsFolder, file), path.join(folder, file));
  target = await server.createDatabase("filled");
  await migrate(target, { folder });
  for (const text of [
    insertCalls(overMonths),
    insertCalls(only(callAhead)),
    insertRuns(overMonths),
    insertRuns(only(runAhead)),
  ])
    await runSql(target, text);
  before = await describeAll("");
  await migrate(target, { folder: migrationsFolder });
  after = await describeAll("_past");
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const insertCalls = (ids: string) =>
  `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
   SELECT ${organization}, id, 'mcp', 'slack', 'x', 'running', 'some text', '{}', now(), 0, false, false, ${organization} FROM (${ids}) AS made (id)`;
const insertRuns = (ids: string) =>
  `WITH stored AS (
     INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at)
     SELECT ${organization}, id, ${organization}, 1, 'api', 'running', '{}', now() FROM (${ids}) AS made (id) RETURNING id
   )
   INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, started_at, duration_ms)
   SELECT ${organization}, id, node, 'start', 'succeeded', 1, 0, now(), 1 FROM stored, (VALUES ('a'), ('b')) AS nodes (node)`;
const overMonths = "SELECT uuidv7(-interval '1 day' * number) FROM generate_series(0, 200) AS number";

const only = (id: string) => `VALUES ('${id}'::uuid)`;

/** All rows, and the files in which those lie that were there before. */
async function describeAll(suffix: string) {
  const file = (table: string) => runSql(target, `SELECT pg_relation_filenode('${table}${suffix}') AS file`);
  return {
    calls: await runSql(target, "SELECT to_jsonb(tool_call) AS row FROM tool_call ORDER BY id"),
    // Without the columns that later migrations add.
    runs: await runSql(
      target,
      "SELECT to_jsonb(run) - '{adopted_at_mark,adoptions_at_mark,trigger_files,variables}'::text[] AS row FROM run ORDER BY id",
    ),
    nodes: await runSql(
      target,
      "SELECT to_jsonb(run_node) - '{must_not_repeat,items,total,under_way,note,taken_from}'::text[] AS row FROM run_node ORDER BY run_id, node_id",
    ),
    files: [await file("tool_call"), await file("run"), await file("run_node")],
  };
}

test("a filled database keeps every row, in the same files", async () => {
  expect([before.calls.length, before.runs.length, before.nodes.length]).toEqual([202, 202, 404]);
  expect(after).toEqual(before);
  const place = (table: string, id: string) =>
    runSql(target, `SELECT tableoid::regclass::text AS place FROM ${table} WHERE id = '${id}'`);
  expect(await place("tool_call", callAhead)).toEqual([{ place: "tool_call_future" }]);
  expect(await place("run", runAhead)).toEqual([{ place: "run_future" }]);
});

test("takes new rows of any time, each once", async () => {
  await runSql(target, insertCalls(overMonths));
  await runSql(target, insertRuns(overMonths));
  await expect(runSql(target, insertCalls(only(callAhead)))).rejects.toThrow(/duplicate key/);
  await expect(runSql(target, insertRuns(only(runAhead)))).rejects.toThrow(/duplicate key/);
  expect((await describeAll("_past")).nodes).toHaveLength(before.nodes.length + 402);
});

test("the indexes of what there was are used for the whole, and a call that fails is still told", async () => {
  expect(await runSql(target, "SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid")).toEqual([]);
  const count = "SELECT count(*)::int AS count FROM pg_index WHERE indrelid =";
  for (const table of ["tool_call", "run", "run_node"])
    expect(await runSql(target, `${count} '${table}_past'::regclass`)).toEqual(
      await runSql(target, `${count} '${table}'::regclass`),
    );
  await runSql(
    target,
    `INSERT INTO organization (id, name) VALUES (${organization}, 'Ours');
     INSERT INTO event_endpoint (organization_id, id, url, types, secret_sealed) VALUES (${organization}, ${organization}, 'https://example.com', '{tool.failed,run.failed}', '')`,
  );
  const ended = (table: string) => `UPDATE ${table} SET status = 'failed', completed_at = now() WHERE id`;
  await runSql(target, `${ended("tool_call")} <= '${callAhead}'; ${ended("run")} <= '${runAhead}'`);
  const counts = await runSql(
    target,
    "SELECT count(*)::int AS count FROM tool_call UNION ALL SELECT count(*)::int FROM run",
  );
  expect(
    await runSql(target, "SELECT count(*)::int AS count FROM event_delivery GROUP BY type ORDER BY type DESC"),
  ).toEqual(counts);
});
