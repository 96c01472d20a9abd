import { once } from "node:events";
import { chownSync, readdirSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { canEnter, isRoot } from "../../src/storage/postgres-account.ts";
import { freePort } from "../support/free-port.ts";
import { password } from "../support/people.ts";
import { isAlive, killAll, leftovers, listPostgres, postgresPid } from "../support/processes.ts";
import {
  createDataDir,
  runSwitchyard,
  type SpawnedServer,
  spawnSwitchyard,
  startServer,
} from "../support/spawned-server.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";

const root = path.resolve(import.meta.dirname, "../..");
const folder = createDataDir();
const { dataDir } = folder;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
const started: SpawnedServer[] = [];
let lonelyWorker: SpawnedServer;
let lonelySince: number;

beforeAll(async () => {
  database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, NODE_COMPILE_CACHE: path.join(dataDir, "compiled") };
  lonelyWorker = await startServer({ dataDir: path.join(dataDir, "worker"), roles: "worker", environment });
  lonelySince = performance.now();
});
afterAll(async () => {
  await lonelyWorker?.kill();
  await database.drop();
  const left = leftovers(dataDir);
  await folder.remove();
  expect(left).toEqual([]);
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill();
  const left = listPostgres(dataDir);
  await killAll(left);
  expect(left).toEqual([]);
});

async function start(options: Partial<Parameters<typeof startServer>[0]> = {}): Promise<SpawnedServer> {
  const server = await startServer({ dataDir, ...options });
  started.push(server);
  return server;
}

const statusOf = async (url: string) => (await fetch(url, { headers: { connection: "close" } })).status;
const isReady = async (base: string) => (await statusOf(`${base}/readyz`)) === 200;
const isRefused = (base: string) =>
  fetch(`${base}/livez`).then(
    () => false,
    ({ cause }) => cause.code === "ECONNREFUSED",
  );

async function expectGone(pid: number | undefined): Promise<void> {
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid as number), { timeout: 3_000 }).toBe(false);
  expect(postgresPid(dataDir)).toBeUndefined();
}

describe("serve", () => {
  it("opens both doors with nothing but ports and a data folder, and says how to go on", async () => {
    const { platformUrl, gatewayUrl, output, postgresPid: pid, stop } = await start();
    expect([await isReady(platformUrl), await isReady(gatewayUrl)]).toEqual([true, true]);
    for (const line of [
      platformUrl,
      `${platformUrl}/docs`,
      gatewayUrl,
      dataDir,
      `${platformUrl}/setup`,
      "cli -- setup --email",
    ])
      expect(output.stdout).toContain(line);
    const database = pid();
    expect((await stop()).code).toBe(0);
    await expectGone(database);
  });

  it("says nothing about the first account once there is one", async () => {
    const words = ["setup", "--email", "ann@example.com", "--password", password, "--organization", "Team"];
    expect((await runSwitchyard(words, { SWITCHYARD_DATA_DIR: dataDir })).code).toBe(0);
    const { output, stop } = await start();
    expect(output.stdout).not.toContain("no account yet");
    await stop();
  });

  it("shares one database between processes of different roles until the last one is gone", async () => {
    const platform = await start({ roles: "platform" });
    const gateway = await start({ roles: "gateway" });
    const worker = await start({ roles: "worker" });
    const pid = platform.postgresPid();
    expect([await isReady(platform.platformUrl), await isRefused(platform.gatewayUrl)]).toEqual([true, true]);
    expect([await isReady(gateway.gatewayUrl), await isRefused(gateway.platformUrl)]).toEqual([true, true]);
    expect([await isRefused(worker.platformUrl), await isRefused(worker.gatewayUrl)]).toEqual([true, true]);
    expect((await platform.stop()).code).toBe(0);
    expect(await isReady(gateway.gatewayUrl)).toBe(true);
    expect((await gateway.stop()).code).toBe(0);
    expect([worker.child.exitCode, worker.postgresPid()]).toEqual([null, pid]);
    expect((await worker.stop()).code).toBe(0);
    await expectGone(pid);
  });

  it("stores what it compiled soon after the start, so that the next one is fast also when it is killed", async () => {
    const stored = () => readdirSync(path.join(dataDir, "compiled"), { recursive: true }).length;
    await expect.poll(stored, { timeout: 10_000 }).toBeGreaterThan(100);
  });

  it("keeps a worker alive that has neither a door nor a database process of its own", async () => {
    // Longer than idle database connections live.
    await delay(Math.max(0, 11_000 - (performance.now() - lonelySince)));
    expect(lonelyWorker.child.exitCode).toBeNull();
    expect((await lonelyWorker.stop()).code).toBe(0);
  });

  it("warns of a database that may lose what it confirmed, which its own does not", async () => {
    const warning = "after a crash of PostgreSQL";
    expect(lonelyWorker.output.stderr).toContain(warning);
    expect(lonelyWorker.output.stderr).toContain('"off":["fsync","full_page_writes","synchronous_commit"]');
    const { output, stop } = await start();
    expect(output.stderr).not.toContain(warning);
    await stop();
  });

  it("runs as an ordinary user", async () => {
    const nobody = { uid: 65_534, gid: 65_534 };
    const account = isRoot() && (await canEnter(root, nobody)) ? nobody : undefined;
    const own = createDataDir();
    onTestFinished(() => own.remove());
    if (account) chownSync(own.dataDir, account.uid, account.gid);
    const server = await start({ dataDir: own.dataDir, ...(account ? { account } : {}) });
    expect([await isReady(server.platformUrl), await isReady(server.gatewayUrl)]).toEqual([true, true]);
    if (account) expect(statSync(path.join(own.dataDir, "postgres")).uid).toBe(account.uid);
    expect((await server.stop()).code).toBe(0);
    expect(leftovers(own.dataDir)).toEqual([]);
  });
});

describe("a start that cannot be", () => {
  const refusedStart = async (words: string[], environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runSwitchyard(["serve", ...words], {
      SWITCHYARD_DATA_DIR: dataDir,
      ...environment,
    });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Switchyard cannot start\. /m);
    expect(stderr).not.toMatch(/\bat .*:\d+/);
    return stderr;
  };

  it("names a role that does not exist", async () => {
    expect(await refusedStart(["--roles", "platform,king"])).toContain(
      '--roles takes platform, gateway, worker; "king" is none of them',
    );
  });

  it("names an option that does not exist", async () => {
    expect(await refusedStart(["--port", "80"])).toContain("--port");
  });

  it("lists every mistake of the configuration", async () => {
    const nonsense = {
      PLATFORM_API_PORT: "http",
      DATABASE_URL: "mysql://ann:top-secret@db",
      MCP_MAX_EXECUTION_TIME: "soon",
      LOG_LEVEL: "loud",
    };
    const stderr = await refusedStart([], nonsense);
    expect(stderr).toContain("4 mistakes");
    for (const name of Object.keys(nonsense)) expect(stderr).toContain(`${name}: must be`);
    expect(stderr).not.toContain("top-secret");
  });

  it("names a port that is in use, and leaves no database behind", async () => {
    const other = createServer();
    other.listen(await freePort(), "localhost");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const stderr = await refusedStart([], { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(port) });
    expect(stderr).toContain(`Port ${port} is in use`);
    expect(leftovers(dataDir).filter(({ pid }) => pid !== lonelyWorker.pid)).toEqual([]);
  });
});

describe("stopping", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("answers what is under way before it obeys %s", async (signal) => {
    const server = await start();
    const pid = server.postgresPid();
    const body = JSON.stringify({ email: "stranger@example.com", password });
    const socket = connect(server.ports.platform, "localhost");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    const head = [
      "POST /api/sign-in HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    await delay(200);
    const stopped = server.stop(signal);
    await expect.poll(() => isRefused(server.platformUrl)).toBe(true);
    expect(server.child.exitCode).toBeNull();
    socket.write(body.slice(10));
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*"code":"sign_in_failed"/s);
    expect((await stopped).code).toBe(0);
    await expectGone(pid);
  });

  it("leaves nothing behind when it is told to during the start", async () => {
    const ports = { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(await freePort()) };
    const server = spawnSwitchyard(["serve"], { environment: { SWITCHYARD_DATA_DIR: dataDir, ...ports } });
    await expect.poll(() => postgresPid(dataDir), { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
    const pid = postgresPid(dataDir);
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    await expectGone(pid);
  });

  it("ends within three seconds when npm is told to", async () => {
    const server = await start({ throughNpm: true });
    const pid = server.postgresPid();
    const toldAt = performance.now();
    server.child.kill("SIGTERM");
    await expect.poll(() => isRefused(server.platformUrl), { timeout: 5_000 }).toBe(true);
    await expectGone(pid);
    expect(performance.now() - toldAt).toBeLessThan(3_000);
  });

  it("adopts the database that a killed process left running", async () => {
    const killed = await start();
    const pid = killed.postgresPid();
    const account = { email: "ann@example.com", password, organizationName: "Team" };
    expect([201, 409]).toContain((await killed.browser().post("/api/setup", account)).status);
    await killed.kill();
    expect(isAlive(pid as number)).toBe(true);
    const next = await start();
    expect([next.postgresPid(), await isReady(next.platformUrl)]).toEqual([pid, true]);
    expect((await next.browser().post("/api/sign-in", account)).status).toBe(200);
    expect((await next.stop()).code).toBe(0);
    await expectGone(pid);
  });
});
