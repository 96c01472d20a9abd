import { readdirSync } from "node:fs";
import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { migrate, migrateWithin, migrationsFolder } from "../../src/storage/migrate.ts";
import { password } from "../support/people.ts";
import { plantOldRows, readRows } from "../support/storage/old-rows.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

const files = readdirSync(migrationsFolder).sort();
const newest = files.length;
const earlier = files.slice(0, -1).map((_, index) => index + 1);
/** The first version that people have in use, and the one before the newest. */
const inUse = [...new Set([11, newest - 1])].filter((version) => version <= newest);
const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

afterAll(async () => {
  for (const database of databases) await database.drop();
});

/** A database that an earlier version has made and filled. */
async function plantVersion(version: number) {
  const database = await createTestDatabase({ isBlank: true });
  databases.push(database);
  const client = new pg.Client(database.target);
  await client.connect();
  try {
    await client.query("BEGIN");
    await migrateWithin(client, { folder: migrationsFolder, upTo: version });
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  const planted = await plantOldRows(database, version);
  return { database, planted, before: await readRows(database, planted.tables) };
}

/** Columns may have come; what was there is there. */
async function expectKept({ database, planted, before }: Awaited<ReturnType<typeof plantVersion>>): Promise<void> {
  const after = await readRows(database, planted.tables);
  for (const table of planted.tables) {
    expect(after[table], table).toHaveLength(before[table]?.length ?? -1);
    expect(after[table], table).toMatchObject(before[table] ?? []);
  }
}

describe("a database of an earlier version", { timeout: 60_000 }, () => {
  it.each(earlier)(
    "keeps every row on the way from version %i to the newest, also when two processes bring it there",
    async (version) => {
      const old = await plantVersion(version);
      const both = await Promise.all([1, 2].map(() => migrate(old.database.target, { folder: migrationsFolder })));
      expect(both.flatMap(({ applied }) => applied).sort()).toEqual(files.slice(version));
      await expectKept(old);
    },
  );

  it("learns the kinds of nodes from the canvases of version 14, whatever texts are in them", async () => {
    const { database, planted } = await plantVersion(14);
    const parameters = { fields: { "\u0000 \ud800": '"nodeId":"no_node"' } };
    const nodes = ["start", "set_fields", "start", "ai_answer"].map((nodeId, index) => ({
      id: `n${index}`,
      nodeId,
      parameters,
    }));
    await database.query("UPDATE workflow_version SET canvas = $1", [JSON.stringify({ nodes, edges: [] })]);
    await migrate(database.target, { folder: migrationsFolder });
    expect(await database.query("SELECT id, node_kinds FROM workflow")).toEqual([
      { id: planted.workflow, node_kinds: ["start", "set_fields", "ai_answer"] },
    ]);
  });

  it.each(inUse)(
    "of version %i is served by this one: sign-in, key, credential, workflow, run and history",
    async (version) => {
      const old = await plantVersion(version);
      const { planted, database } = old;
      const app = await startTestApp({ database });
      onTestFinished(() => app.stop());
      const browser = app.browser();
      expect((await browser.post("/api/sign-in", { email: planted.email, password })).status).toBe(200);
      const path = `/api/organizations/${planted.organization}`;
      const idsOf = async (list: string) =>
        (await browser.get(`${path}/${list}`)).body.data.map(({ id }: { id: string }) => id);
      expect(await idsOf("tool-calls")).toEqual([planted.call]);
      expect(await idsOf("runs")).toEqual([planted.run]);
      expect((await browser.get(`${path}/runs/${planted.run}`)).body).toMatchObject({
        status: "succeeded",
        result: [{ text: "Hello" }],
      });
      expect((await browser.get(`${path}/workflows`)).body.data).toMatchObject([
        { name: "Hello", nodeKinds: ["set_fields"], version: 1, draft: null },
      ]);
      expect((await browser.get(`${path}/triggers`)).body.data).toMatchObject([{ name: "Yearly", active: true }]);
      const { vault } = app.parts;
      const [checked] = await vault.check(
        planted.organization,
        { github: `credential:organization:${planted.credential}` },
        ["github"],
      );
      expect((await vault.open(checked as NonNullable<typeof checked>)).data().accessToken).toBe(planted.token);
      const response = await fetch(`${app.platformUrl}/task-runner/trigger/${planted.workflow}`, {
        method: "POST",
        headers: { "x-api-key": planted.key, prefer: "wait=15" },
      });
      expect(await response.json()).toMatchObject({ status: "succeeded", result: [{ text: "Hello" }] });
    },
  );
});
