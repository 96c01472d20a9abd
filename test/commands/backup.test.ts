import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { issueRequest, saidIn } from "../support/gateway/gateway-pair.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { password } from "../support/people.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { edges, node, startWorkflowApp } from "../support/runs/workflow-app.ts";
import { createDataDir, type SpawnedServer, spawnSwitchyard, startServer } from "../support/spawned-server.ts";
import { createBackups, fingerprints as fingerprintsOf, type TestDatabase } from "../support/storage/backups.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

const folder = mkdtempSync(path.join(tmpdir(), "switchyard-backup-"));
const { backUp, restoreInto: restoreFrom } = createBackups(folder);
let files = 0;
let provider: CountingProvider;

beforeAll(async () => {
  provider = await startCountingProvider();
});
afterAll(async () => {
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const newFile = () => path.join(folder, `${++files}.backup`);

/** As a process of its own, with time enough to make a database first on a machine that has much else to do. */
async function succeed(words: string[], environment: Record<string, string>) {
  const { code, stdout, stderr } = await spawnSwitchyard(words, { environment, limitMs: 60_000 }).ended;
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

async function fail(words: string[], environment: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await spawnSwitchyard(words, { environment, limitMs: 60_000 }).ended;
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trim();
}

describe("a backup of an installation with the database it brings along", () => {
  it("brings everything back in an empty data folder that got the master key, and nothing in one that did not", async () => {
    const [old, fresh] = [createDataDir(), createDataDir()];
    onTestFinished(async () => {
      await old.remove();
      await fresh.remove();
    });
    const [at, there] = [{ SWITCHYARD_DATA_DIR: old.dataDir }, { SWITCHYARD_DATA_DIR: fresh.dataDir }];
    const serve = async (dataDir: string) => {
      const server = await startServer({ dataDir, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
      onTestFinished(() => server.kill());
      return server;
    };
    const server = await serve(old.dataDir);
    const { organizationId: organization } = await succeed(
      ["setup", "--email", "ann@example.com", "--password", password, "--organization", "Ann's team"],
      at,
    );
    const inside = ["--organization", organization];
    const keyWords = [
      "keys",
      "create",
      ...inside,
      "--name",
      "CI",
      "--scope",
      "workflows:trigger",
      "--scope",
      "mcp:invoke",
    ];
    const { key } = await succeed(keyWords, at);
    const data = JSON.stringify({ kind: "bearer", accessToken: "canary-token", baseUrl: provider.url });
    const credentialWords = [
      "credentials",
      "create",
      ...inside,
      "--type",
      "github",
      "--name",
      "GitHub",
      "--data",
      data,
    ];
    const { reference } = await succeed(credentialWords, at);
    const workflowFile = path.join(folder, "hello.json");
    const canvas = {
      nodes: [node("hello", "set_fields", { fields: { text: "Hello {{ $trigger.prompt }}" } })],
      edges: [],
    };
    writeFileSync(
      workflowFile,
      JSON.stringify({ format: "switchyard.workflow", formatVersion: 1, name: "Hello", canvas }),
    );
    const { id: workflowId } = await succeed(["workflows", "import", ...inside, "--file", workflowFile], at);

    const callTool = async ({ gatewayUrl }: SpawnedServer, title: string) => {
      const { body, headers } = issueRequest(title, { reference, key: { key } as never });
      expect(saidIn(await createMcpClient(gatewayUrl, {}).post("github", body, headers)).title).toBe(title);
    };
    const greet = async ({ platformUrl }: SpawnedServer, prompt: string) => {
      const headers = { "x-api-key": key, "content-type": "application/json", prefer: "wait=30" };
      const body = JSON.stringify({ runtimePrompt: prompt });
      const response = await fetch(`${platformUrl}/task-runner/trigger/${workflowId}`, {
        method: "POST",
        headers,
        body,
      });
      expect(await response.json()).toMatchObject({ status: "succeeded", result: [{ text: `Hello ${prompt}` }] });
    };
    await callTool(server, "before");
    await greet(server, "before");

    const file = newFile();
    expect(await succeed(["backup", "--file", file], at)).toMatchObject({
      file,
      keepSeparately: [path.join(old.dataDir, "master.key")],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = gunzipSync(readFileSync(file)).toString();
    for (const secret of [
      "canary-token",
      key,
      password,
      readFileSync(path.join(old.dataDir, "master.key"), "utf8").trim(),
    ])
      expect(text).not.toContain(secret);
    expect((await server.stop()).code).toBe(0);

    expect(await fail(["restore", "--file", file], there)).toContain(
      "Put the master key of the backup in its place first",
    );
    copyFileSync(path.join(old.dataDir, "master.key"), path.join(fresh.dataDir, "master.key"));
    expect(await succeed(["restore", "--file", file], there)).toMatchObject({ unfinishedRuns: 0 });
    const restored = await serve(fresh.dataDir);
    await callTool(restored, "after");
    expect(provider.requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer canary-token",
      "Bearer canary-token",
    ]);
    await greet(restored, "after");
    const browser = restored.browser();
    expect((await browser.post("/api/sign-in", { email: "ann@example.com", password })).status).toBe(200);
    const { body: calls } = await browser.get(`/api/organizations/${organization}/tool-calls?limit=10`);
    expect(calls.data.map(({ status }: { status: string }) => status)).toEqual(["success", "success"]);
    const { body: runs } = await browser.get(`/api/organizations/${organization}/runs?limit=10`);
    expect(runs.data.map(({ status }: { status: string }) => status)).toEqual(["succeeded", "succeeded"]);
  }, 240_000);
});

describe("a backup of an external database", { timeout: 60_000 }, () => {
  let source: TestDatabase;
  let file: string;
  let waiting: string;
  const blanks: TestDatabase[] = [];
  const restoreInto = (database: TestDatabase, from = file, ...words: string[]) =>
    restoreFrom(database, from, { words });
  const makeBlank = async () => {
    const blank = await createTestDatabase({ isBlank: true });
    blanks.push(blank);
    return blank;
  };

  beforeAll(async () => {
    source = await createTestDatabase();
    const ann = await startWorkflowApp({ database: source });
    const { parts } = ann.app;
    const data = { kind: "bearer", accessToken: "canary-token", baseUrl: provider.url };
    await parts.vault.credentials.create(ann.owner.organizationId, {
      type: "github",
      name: "GitHub",
      data,
      createdBy: null,
    });
    const steps = [
      node("rest", "wait", { milliseconds: 600_000 }),
      node("end", "set_fields", { fields: { said: "I am back" } }),
    ];
    waiting = (await ann.trigger(await ann.save(steps, edges("rest>end")))).body.id;
    await vi.waitFor(async () => expect((await ann.readRun(waiting)).body.status).toBe("waiting"), 20_000);
    await ann.run(
      await ann.save([node("one", "set_fields", { fields: { text: 'a "b" \\ ü\n\u2028 🚂' } })], [], "Odd letters"),
    );
    // Numbers that JavaScript cannot hold.
    await source.query(
      "INSERT INTO credit_entry (id, organization_id, amount, reason) VALUES (gen_random_uuid(), $1, $2, 'test')",
      [ann.owner.organizationId, "9007199254740993"],
    );
    // So that nothing is written any more between the backup and the comparison with it.
    await ann.stop();
    file = newFile();
    await backUp(source, file);
  });
  afterAll(async () => {
    await source?.drop();
    for (const blank of blanks) await blank.drop();
  });

  it("holds every row of every table, and the database holds nothing else that would have to be kept", async () => {
    const blank = await makeBlank();
    await restoreInto(blank);
    const [before, after] = [await fingerprints(source), await fingerprints(blank)];
    expect(after).toEqual(before);
    expect(Object.keys(before)).toContain("credit_entry");
    const kinds = "SELECT DISTINCT relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relkind";
    // Tables, divided tables, their indexes, and views, which hold nothing: no sequence and no large object.
    for (const { relkind } of await blank.query<{ relkind: string }>(kinds))
      expect(["r", "p", "i", "I", "t", "v"]).toContain(relkind);
    expect(await blank.query("SELECT FROM pg_largeobject_metadata")).toEqual([]);
  });

  it("lets runs go on that had not ended", async () => {
    const blank = await makeBlank();
    expect(await restoreInto(blank)).toMatchObject({ unfinishedRuns: 1 });
    await blank.query("UPDATE run SET wake_at = now() WHERE id = $1", [waiting]);
    await blank.query("UPDATE run_node SET wake_at = now() WHERE run_id = $1 AND status = 'waiting'", [waiting]);
    await blank.query("UPDATE run_queue.job SET start_after = now() WHERE id = $1", [waiting]);
    const worker = await startTestApp({ database: blank, roles: ["worker"] });
    onTestFinished(() => worker.stop());
    const statusOf = async () => (await blank.query("SELECT status FROM run WHERE id = $1", [waiting]))[0];
    await expect.poll(statusOf, { timeout: 15_000 }).toEqual({ status: "succeeded" });
  });

  it("is refused with another master key, by the restore and by the start, and nothing is changed", async () => {
    const blank = await makeBlank();
    const other = Buffer.alloc(32, "other").toString("base64");
    const sentence = "The master key is not the one this database was sealed with.";
    await expect(restoreFrom(blank, file, { masterKey: other })).rejects.toThrow(sentence);
    expect(await blank.query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([]);
    await restoreInto(blank);
    await expect(startTestApp({ database: blank, environment: { SWITCHYARD_MASTER_KEY: other } })).rejects.toThrow(
      sentence,
    );
  });

  it("replaces an installation only when told to, and not under its servers", async () => {
    const database = await createTestDatabase();
    blanks.push(database);
    const other = await startWorkflowApp({ database });
    await expect(restoreInto(database, file, "--overwrite")).rejects.toThrow("Servers are working on this database");
    await other.stop();
    const before = await fingerprints(database);
    await expect(restoreInto(database, file)).rejects.toThrow("holds an installation already");
    expect(await fingerprints(database)).toEqual(before);
    await restoreInto(database, file, "--overwrite");
    expect(await fingerprints(database)).toEqual(await fingerprints(source));
  });

  it.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), "not complete"],
    [
      "short of lines",
      (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().split("\n").slice(0, -2).join("\n")),
      "not complete",
    ],
    ["short of rows", dropLastRows, "not complete"],
    [
      "changed",
      (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (index === bytes.length - 40 ? byte ^ 255 : byte))),
      "damaged",
    ],
    ["something else", () => Buffer.from("PGDMP"), "no backup"],
    ["newer", addMigration, "newer than this version"],
  ] as const)("that is %s leaves the database as it was", async (_kind, spoil, message) => {
    const blank = await makeBlank();
    const spoilt = newFile();
    writeFileSync(spoilt, spoil(readFileSync(file)));
    await expect(restoreInto(blank, spoilt)).rejects.toThrow(message);
    expect(await blank.query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([]);
  });

  it("writes over no file, and not from a database that holds nothing of ours", async () => {
    await expect(backUp(source, file)).rejects.toThrow("exists already");
    await expect(backUp(await makeBlank(), newFile())).rejects.toThrow("no data of Switchyard");
    await expect(restoreInto(await makeBlank(), newFile())).rejects.toThrow("--file: cannot be read");
  });

  it("goes into no database of another program", async () => {
    const blank = await makeBlank();
    await blank.query("CREATE TABLE customer (id int)");
    await expect(restoreInto(blank, file, "--overwrite")).rejects.toThrow("tables of something else");
    expect(await blank.query("SELECT FROM customer")).toEqual([]);
  });
});

function addMigration(bytes: Buffer): Buffer {
  const [head = "", ...rest] = gunzipSync(bytes).toString().split("\n");
  const parsed = JSON.parse(head);
  parsed.migrations.push({ number: parsed.migrations.length + 1, name: "later", sha256: "0" });
  return gzipSync([JSON.stringify(parsed), ...rest].join("\n"));
}

function dropLastRows(bytes: Buffer): Buffer {
  const lines = gunzipSync(bytes).toString().split("\n");
  return gzipSync(
    lines
      .toSpliced(
        lines.findLastIndex((line) => line.startsWith("[")),
        1,
      )
      .join("\n"),
  );
}

// Servers that run change these by themselves.
const fingerprints = (database: TestDatabase) => fingerprintsOf(database, ["slot_worker", "recorder"]);
