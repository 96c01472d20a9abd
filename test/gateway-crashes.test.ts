import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openParts, type Parts } from "../src/app.ts";
import { systemClock } from "../src/base/clock.ts";
import { newId } from "../src/base/ids.ts";
import { readConfig } from "../src/config.ts";
import { createRecorder } from "../src/history/record.ts";
import { createSweep } from "../src/history/sweep.ts";
import { silentLog } from "../src/storage/test-postgres.ts";
import { type CountingProvider, startCountingProvider } from "./support/counting-provider.ts";
import { createMcpClient, modernHeaders, modernMeta, type RpcAnswer } from "./support/mcp-client.ts";
import { createDataDir, type SpawnedServer, startServer } from "./support/spawned-server.ts";
import { createTestDatabase } from "./support/test-database.ts";

const slots = 4;
const leaseMs = 10_000;
const folder = createDataDir();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let provider: CountingProvider;
let environment: Record<string, string>;
let parts: Parts;
let gateways: [SpawnedServer, SpawnedServer];

beforeAll(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), startCountingProvider()]);
  environment = {
    DATABASE_URL: database.url,
    SWITCHYARD_COOKIE_KEY: Buffer.alloc(32, "cookie").toString("base64"),
    SWITCHYARD_MASTER_KEY: Buffer.alloc(32, "master").toString("base64"),
    SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(slots),
    RATE_LIMIT_API_KEY_PER_MINUTE: "1000000",
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
    LOG_LEVEL: "error",
  };
  parts = await openParts({ config: readConfig({ ...environment, SWITCHYARD_DATA_DIR: folder.dataDir }), log: silentLog });
  gateways = await Promise.all([startGateway(), startGateway()]);
});
afterAll(async () => {
  await Promise.all((gateways ?? []).map(kill));
  await parts?.close();
  await provider.stop();
  await database.drop();
  await folder.remove();
});
beforeEach(async () => {
  await database.query("DELETE FROM tool_call");
  provider.requests.length = 0;
  provider.seen.most = 0;
});

const startGateway = (ports?: SpawnedServer["ports"]) =>
  startServer({ dataDir: folder.dataDir, roles: "gateway", environment, ...(ports ? { ports } : {}) });

async function kill(gateway: SpawnedServer): Promise<void> {
  gateway.child.kill("SIGKILL");
  await gateway.ended;
}

type Team = Awaited<ReturnType<typeof createTeam>>;

/** An organization with slots of its own, a key, and a credential that the provider can tell from others. */
async function createTeam(name: string) {
  const organizationId = newId();
  await database.query("INSERT INTO organization (id, name) VALUES ($1, $2)", [organizationId, name]);
  const data = { kind: "bearer", accessToken: `token-of-${name}`, baseUrl: provider.url };
  const { reference } = await parts.vault.credentials.create(organizationId, { type: "github", name, data, createdBy: null });
  return { name, organizationId, reference, key: await createKey(organizationId) };
}

const createKey = (organizationId: string) =>
  parts.identity.apiKeys.create(organizationId, { name: "test", scopes: ["mcp:invoke"], createdBy: null });

/** Asks the provider, through the gateway, to say the nonce. */
function callWith(nonce: string, gateway: SpawnedServer, team: Team): Promise<RpcAnswer> {
  const given = { owner: "acme", repo: "site", title: nonce, credentials: { github: team.reference } };
  const params = { name: "github_create_issue", arguments: given, _meta: modernMeta };
  const client = createMcpClient(gateway.gatewayUrl, { "x-api-key": team.key.key });
  return client.post("github", { jsonrpc: "2.0", id: nonce, method: "tools/call", params }, modernHeaders("tools/call", params.name));
}

const saidIn = ({ json: { id, result } }: RpcAnswer) => ({
  id,
  title: (result?.structuredContent?.items as { title: string }[])?.[0]?.title,
});

/** Clients that call one after the other until they are told to stop or the gateway is gone. */
function startClients(count: number, gateway: SpawnedServer, team: Team) {
  const answers = new Map<string, RpcAnswer>();
  let isStopped = false;
  const loop = async () => {
    while (!isStopped) {
      const nonce = randomUUID();
      const answer = await callWith(nonce, gateway, team).catch(() => undefined);
      if (!answer) return;
      answers.set(nonce, answer);
    }
  };
  const loops = Array.from({ length: count }, loop);
  return {
    answers,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

type Row = { id: string; status: string; asked: string; said: string | null };

const readRecords = () =>
  database.query<Row>(
    `SELECT id, status, parameters::jsonb ->> 'title' AS asked, outputs::jsonb -> 0 ->> 'title' AS said FROM tool_call WHERE tool = 'github_create_issue'`,
  );

/** What every process does after a longer silence; nothing may be running when this is called. */
async function sweepNow(): Promise<void> {
  const surroundings = { db: parts.db, log: silentLog, onChange: () => {} };
  const recorder = createRecorder({ ...surroundings, clock: systemClock });
  const sweep = createSweep({ ...surroundings, recorder, beatIntervalMs: 50, silentMs: 300 });
  sweep.start();
  await delay(1_000);
  await sweep.stop();
}

/** Lets nobody write records until it is told to. */
async function holdRecords() {
  const client = new pg.Client(database.target);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE tool_call IN SHARE MODE");
  const waiting = "SELECT FROM pg_locks WHERE relation = 'tool_call'::regclass AND NOT granted";
  return {
    whenSomebodyWaits: () =>
      expect.poll(async () => (await client.query(waiting)).rowCount, { interval: 5, timeout: 5_000 }).toBeGreaterThan(0),
    release: () => client.query("COMMIT"),
  };
}

describe("two gateways on one database", () => {
  it("ask the provider only after the record is committed, and answer only after its end is", async () => {
    provider.takeTime(800);
    const team = await createTeam("patient");
    let isAnswered = false;
    const begin = await holdRecords();
    const call = callWith("patience", gateways[0], team).finally(() => (isAnswered = true));
    await begin.whenSomebodyWaits();
    await delay(100);
    expect(provider.requests).toEqual([]);
    await begin.release();
    await expect.poll(() => provider.requests.length, { interval: 5, timeout: 5_000 }).toBe(1);
    const end = await holdRecords();
    await end.whenSomebodyWaits();
    await delay(100);
    expect(isAnswered).toBe(false);
    await end.release();
    expect(saidIn(await call)).toEqual({ id: "patience", title: "patience" });
  });

  it("have a committed record of every answer and every request to the provider when one is killed", async () => {
    provider.takeTime(60);
    let answered = 0;
    const bystanders = await createTeam("bystanders");
    for (let round = 0; round < 5; round++) {
      const team = await createTeam(`round-${round}`);
      const [doomed, other] = [round % 2, 1 - (round % 2)] as [0 | 1, 0 | 1];
      const lost = startClients(6, gateways[doomed], team);
      const kept = startClients(2, gateways[other], bystanders);
      await expect.poll(() => lost.answers.size, { interval: 5, timeout: 5_000 }).toBeGreaterThan(0);
      await delay(Math.random() * 300);
      await kill(gateways[doomed]);
      await Promise.all([lost.stop(), kept.stop()]);
      const restarted = startGateway(gateways[doomed].ports);
      const records = new Map((await readRecords()).map((row) => [row.asked, row]));
      for (const [nonce, answer] of lost.answers) {
        expect(saidIn(answer)).toEqual({ id: nonce, title: nonce });
        expect(records.get(nonce)).toMatchObject({ status: "success", said: nonce });
      }
      answered += lost.answers.size;
      for (const [nonce, answer] of kept.answers) expect(saidIn(answer)).toEqual({ id: nonce, title: nonce });
      gateways[doomed] = await restarted;
    }
    expect(answered).toBeGreaterThan(20);

    const before = await readRecords();
    const abandoned = before.filter(({ status }) => status === "running").map(({ id }) => id);
    expect(abandoned.length).toBeGreaterThan(0);
    await sweepNow();
    const after = await readRecords();
    expect(
      after
        .filter(({ status }) => status === "interrupted")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(abandoned.sort());
    expect(after.filter(({ status }) => status !== "interrupted" && status !== "success")).toEqual([]);
    expect(new Set(after.map(({ asked }) => asked)).size).toBe(after.length);
    const asked = provider.requests.map(({ title }) => title);
    expect(new Set(asked).size).toBe(asked.length);
    const recorded = new Set(after.map((row) => row.asked));
    expect(asked.filter((nonce) => !recorded.has(nonce))).toEqual([]);
  }, 30_000);

  it("refuse a revoked key on the next request", async () => {
    const team = await createTeam("revoking");
    const statuses = async (key: string) => {
      const calls = gateways.map(({ gatewayUrl }) =>
        createMcpClient(gatewayUrl, { "x-api-key": key }).modern("system", "tools/call", { name: "system_date_time", arguments: {} }),
      );
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    for (let round = 0; round < 50; round++) {
      const { id, key } = await createKey(team.organizationId);
      expect(await statuses(key)).toEqual([200, 200]);
      await parts.identity.apiKeys.revoke(team.organizationId, id);
      expect(await statuses(key)).toEqual([401, 401]);
    }
    expect(await database.query("SELECT status, count(*)::int FROM tool_call GROUP BY status")).toEqual([
      { status: "success", count: 100 },
    ]);
  });

  it("give each of 40 clients of two organizations its own answer", async () => {
    provider.takeTime(15);
    const teams = [await createTeam("red"), await createTeam("blue")] as const;
    const callOften = async (client: number) => {
      const team = teams[client % 2] as Team;
      const gateway = gateways[client % 4 < 2 ? 0 : 1];
      for (let call = 0; call < 10; call++) {
        const nonce = `${team.name} ${randomUUID()}`;
        expect(saidIn(await callWith(nonce, gateway, team))).toEqual({ id: nonce, title: nonce });
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, client) => callOften(client)));
    const records = await readRecords();
    expect(records).toHaveLength(400);
    expect(records.filter(({ status, asked, said }) => status !== "success" || asked !== said)).toEqual([]);
    expect(provider.requests).toHaveLength(400);
    const mixedUp = provider.requests.filter(({ title, authorization }) => authorization !== `Bearer token-of-${title.split(" ")[0]}`);
    expect(mixedUp).toEqual([]);
  });

  it("never run more calls at once than there are slots, and as many again after both were killed", async () => {
    provider.takeTime(50);
    const team = await createTeam("crowd");
    const crowd = gateways.map((gateway) => startClients(8, gateway, team));
    await delay(1_000);
    await provider.whenRunning(slots, 1_000);
    await Promise.all(gateways.map(kill));
    const killedAt = performance.now();
    gateways = await Promise.all([startGateway(gateways[0].ports), startGateway(gateways[1].ports)]);
    await Promise.all(crowd.map(({ stop }) => stop()));
    const again = gateways.map((gateway) => startClients(8, gateway, team));
    const leftMs = killedAt + leaseMs - performance.now();
    await provider.whenRunning(slots, Math.max(0, leftMs) + 2_000);
    await delay(500);
    await Promise.all(again.map(({ stop }) => stop()));
    expect(provider.seen.most).toBe(slots);
    for (const { answers } of again) expect(answers.size).toBeGreaterThan(0);
  }, 30_000);
});
