import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
const count = 450;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  const fill = (text: string) => app.database.query(text, [ann.organizationId, count]);
  // Some were made in the same moment.
  const moment = "now() + (number / 3) * interval '1 microsecond'";
  await fill(
    `WITH person AS (
       INSERT INTO app_user (id, name, email, created_at) SELECT gen_random_uuid(), 'Person', 'person-' || number || '@example.com', ${moment}
       FROM generate_series(1, $2::int) AS number RETURNING id, created_at
     ) INSERT INTO member (id, organization_id, user_id, role, created_at) SELECT gen_random_uuid(), $1, id, 'member', created_at FROM person`,
  );
  await fill(
    `INSERT INTO invitation (id, organization_id, email, role, token_hash, created_at, expires_at)
     SELECT gen_random_uuid(), $1, 'guest-' || number || '@example.com', 'member', sha256(number::text::bytea), ${moment}, now() + interval '1 day'
     FROM generate_series(1, $2::int) AS number`,
  );
  await fill(
    `INSERT INTO api_key (id, organization_id, name, hash, hint, scopes, created_at)
     SELECT gen_random_uuid(), $1, 'Key', sha256(number::text::bytea), 'abcd', ARRAY['mcp:invoke'], ${moment} FROM generate_series(1, $2::int) AS number`,
  );
});
afterAll(() => app?.stop());

type Entry = { id: string; createdAt: string };

async function readAll(list: string, limit: string): Promise<{ entries: Entry[]; pages: number }> {
  const entries: Entry[] = [];
  let [cursor, pages]: [string | null, number] = ["", 0];
  while (cursor !== null) {
    const path = `/api/organizations/${ann.organizationId}/${list}?${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { status, body } = await ann.browser.get(path);
    expect(status).toBe(200);
    entries.push(...body.data);
    cursor = body.nextCursor;
    pages += 1;
  }
  return { entries, pages };
}

describe.each([
  { list: "members", all: count + 1, order: (times: string[]) => times.toSorted() },
  { list: "invitations", all: count, order: (times: string[]) => times.toSorted() },
  { list: "api-keys", all: count, order: (times: string[]) => times.toSorted().toReversed() },
])("the list of $list", ({ list, all, order }) => {
  it.each([
    ["", 3],
    ["limit=200", 3],
    ["limit=100", 5],
  ])("is read page by page with %j, each once and in order", async (limit, pages) => {
    const read = await readAll(list, limit);
    expect([read.pages, read.entries.length, new Set(read.entries.map(({ id }) => id)).size]).toEqual([
      pages,
      all,
      all,
    ]);
    const times = read.entries.map(({ createdAt }) => createdAt);
    expect(times).toEqual(order(times));
  });

  it.each(["cursor=nonsense", "limit=201", "limit=0"])("refuses %s", async (asked) => {
    const answer = await ann.browser.get(`/api/organizations/${ann.organizationId}/${list}?${asked}`);
    expectProblem(answer, { status: 400, code: "validation_failed" });
  });
});
