import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeFailure } from "../../src/commands/describe-failure.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { describeWithProgram, startPgBouncer } from "../support/providers/real-servers.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";

const pooledConnections = 3;
const [calls, runs] = [200, 40];

describeWithProgram("pgbouncer", "behind PgBouncer in transaction mode", () => {
  let bouncer: NonNullable<Awaited<ReturnType<typeof startPgBouncer>>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let flows: WorkflowApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { user, database: name } = database.target;
    bouncer = (await startPgBouncer(database.target, pooledConnections)) as typeof bouncer;
    const url = `postgres://${user}@127.0.0.1:${bouncer.port}/${name}?sslmode=disable`;
    flows = await startWorkflowApp({
      database,
      environment: { DATABASE_POOLER_URL: url, SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "20" },
    });
  });
  afterAll(async () => {
    await flows?.stop();
    await bouncer?.stop();
    await database?.drop();
  });

  it("calls and runs side by side all succeed and are all recorded, over a few connections", {
    timeout: 120_000,
  }, async () => {
    const { organizationId } = flows.owner;
    const { key } = await flows.app.parts.identity.apiKeys.create(organizationId, {
      name: "caller",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    const client = createMcpClient(flows.app.gatewayUrl, { "x-api-key": key });
    const workflowId = await flows.save(
      [node("first", "set_fields", { fields: { a: 1 } }), node("second", "system_date_time")],
      edges("first>second"),
    );
    const call = () => client.legacy("system", "tools/call", { name: "system_date_time", arguments: {} });
    const [answers, ended] = await Promise.all([
      Promise.all(Array.from({ length: calls }, call)),
      Promise.all(Array.from({ length: runs }, () => flows.run(workflowId))),
    ]);
    expect(answers.filter(({ status, json }) => status !== 200 || json.result?.isError)).toEqual([]);
    expect(ended.filter(({ status }) => status !== "succeeded")).toEqual([]);
    const [stored] = await database.query(
      "SELECT (SELECT count(*) FROM tool_call WHERE status = 'success')::int AS calls, (SELECT count(*) FROM run WHERE status = 'succeeded')::int AS runs",
    );
    expect(stored).toEqual({ calls, runs });
  });

  it("only the connections that must be sessions reach PostgreSQL themselves", async () => {
    const found = await database.query<{ name: string; count: number }>(
      `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1 ORDER BY 1`,
    );
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(pooledConnections + 4);
    expect(found.map(({ name }) => name)).toContain("switchyard slots");
  });

  it.each([
    ["a database that it does not know", { database: "nowhere" }, /nowhere|authentication failed/],
    ["a user that it does not know", { user: "nobody-here" }, /nobody-here|authentication failed/],
  ])("%s in the address is told as such, and not as a database that is away", async (_name, wrong, says) => {
    const client = new pg.Client({ ...database.target, host: "127.0.0.1", port: bouncer.port, ...wrong });
    const refused = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(describeFailure(refused)).toMatch(says);
    expect(describeFailure(refused)).not.toContain("cannot be reached");
  });

  it.each([
    "query_wait_timeout",
    "pgbouncer cannot connect to server",
    "no more connections allowed (max_client_conn)",
  ])("what it says of a PostgreSQL that is away or busy is told as that: %s", (message) => {
    expect(describeFailure(Object.assign(new Error(message), { code: "08P01" }))).toBe(
      `The database cannot be reached: ${message}`,
    );
  });
});
