import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;
const count = 450;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}/credentials`;
  // Some were made in the same moment, and what is sealed is large.
  await app.database.query(
    `INSERT INTO credential (id, organization_id, type, kind, name, sealed, public_data, created_at)
     SELECT gen_random_uuid(), $1, 'http_auth', 'custom', 'Account ' || number, convert_to(repeat('s', 20000), 'UTF8'), '{"authKind":"none"}',
       now() - (number / 3) * interval '1 microsecond'
     FROM generate_series(1, $2::int) AS number`,
    [ann.organizationId, count],
  );
});
afterAll(() => app?.stop());

async function readAll(limit: string): Promise<{ names: string[]; pages: number }> {
  const names: string[] = [];
  let [cursor, pages]: [string | null, number] = ["", 0];
  while (cursor !== null) {
    const { status, body } = await ann.browser.get(`${path}?${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    names.push(...body.data.map(({ name }: { name: string }) => name));
    cursor = body.nextCursor;
    pages += 1;
  }
  return { names, pages };
}

describe("the list of credentials", () => {
  it.each([
    ["limit=100", 5],
    ["", 3],
  ])("comes in pages, each credential once: %s", async (limit, expected) => {
    const { names, pages } = await readAll(limit);
    expect([names.length, new Set(names).size, pages]).toEqual([count, count, expected]);
    const places = names.map((name) => Math.floor(Number(name.slice("Account ".length)) / 3));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("refuses a cursor that is not its own, and pages that are too large", async () => {
    for (const cursor of ["x", "MTIz", Buffer.from(`1 ${"0".repeat(36)}`).toString("base64url")])
      expectProblem(await ann.browser.get(`${path}?cursor=${cursor}`), { status: 400, code: "validation_failed" });
    expectProblem(await ann.browser.get(`${path}?limit=201`), { status: 400, code: "validation_failed" });
  });

  it("is whole for those who take it as one", async () => {
    expect(await app.parts.vault.credentials.list(ann.organizationId)).toHaveLength(count);
  });

  it("reads nothing that is sealed", async () => {
    // The server itself looks through what is sealed when it starts; that is not asked about.
    const [moment] = await app.database.query<{ now: Date }>("SELECT clock_timestamp() AS now");
    await readAll("limit=200");
    const [{ reads = 0, lists = 0 } = {}] = await app.database.query<{ reads: number; lists: number }>(
      `SELECT count(*) FILTER (WHERE query LIKE '%"sealed"%' OR query LIKE '%select * from "credential"%')::int AS reads, count(*)::int AS lists
       FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND datname = current_database() AND query LIKE '%from "credential"%' AND query_start >= $1`,
      [moment?.now],
    );
    expect([reads, lists > 0]).toEqual([0, true]);
  });
});
