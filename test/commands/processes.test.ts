import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.ts";
import { isAlive, killAll, leftovers, listPostgres, postgresPid } from "../support/processes.ts";
import { createDataDir, type SpawnedServer, spawnSwitchyard, startServer } from "../support/spawned-server.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { answers, childrenOf, linesSaying, measuredBy } from "../support/supervised.ts";

const folder = createDataDir();
const { dataDir } = folder;
const environment = { PROCESSES: "2" };
const started: SpawnedServer[] = [];

afterAll(() => folder.remove());
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill();
  const left = leftovers(dataDir);
  await killAll(listPostgres(dataDir));
  expect(left).toEqual([]);
}, 30_000);

async function start(options: Partial<Parameters<typeof startServer>[0]> = {}): Promise<SpawnedServer> {
  const server = await startServer({ dataDir, environment, ...options });
  started.push(server);
  return server;
}

/** Half of a request, which keeps a drain from ending until the other half has come. */
async function beginRequest(port: number) {
  const socket = connect(port, "localhost");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString())).on("error", () => {});
  socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n");
  await delay(300);
  return {
    async finish(): Promise<string> {
      socket.write("\r\n");
      await once(socket, "close");
      return answer;
    },
  };
}

describe("two processes behind the same ports", () => {
  it("serve both doors, say once that they are ready, are told apart in one scrape, and drain", async () => {
    const server = await start();
    const { output, platformUrl, gatewayUrl } = server;
    expect(output.stdout.match(/Switchyard is ready/g)).toHaveLength(1);
    expect(output.stdout.match(/no account yet/g)).toHaveLength(1);
    expect(output.stdout).toContain(`Processes                 2, under the supervisor ${server.pid}\n`);
    expect(linesSaying(server, "database migrated").map(({ process }) => process)).toEqual(["supervisor"]);
    const children = childrenOf(server.pid);
    expect(children).toHaveLength(2);
    const burst = (url: string) => Promise.all(Array.from({ length: 40 }, () => answers(url)));
    for (const url of [platformUrl, gatewayUrl]) {
      await expect
        .poll(async () => {
          expect(new Set(await burst(url))).toEqual(new Set(["200"]));
          const counts = await measuredBy(
            url,
            "switchyard_http_request_seconds_count",
            url === platformUrl ? "platform" : "gateway",
          );
          return Object.values(counts).every((count) => count > 0) ? Object.keys(counts).sort() : [];
        })
        .toEqual(["1", "2"]);
    }
    expect(await measuredBy(gatewayUrl, "process_resident_memory_bytes")).toEqual({
      1: expect.any(Number),
      2: expect.any(Number),
    });
    const half = await beginRequest(server.ports.platform);
    const stopped = server.stop();
    await expect.poll(() => answers(platformUrl), { timeout: 5_000 }).toContain("ECONNREFUSED");
    expect([server.child.exitCode, postgresPid(dataDir)]).toEqual([null, expect.any(Number)]);
    expect(await half.finish()).toMatch(/^HTTP\/1\.1 200 /);
    expect((await stopped).code).toBe(0);
    expect([children.filter(isAlive), postgresPid(dataDir)]).toEqual([[], undefined]);
  }, 120_000);

  it("answer every new connection while one of them is killed, and are two again", async () => {
    const server = await start();
    for (const [round, victim] of [0, 1].entries()) {
      const before = childrenOf(server.pid);
      process.kill(before[victim] as number, "SIGKILL");
      for (let count = 0; count < 50; count++) expect(await answers(server.gatewayUrl)).toBe("200");
      await expect
        .poll(async () => Object.keys(await measuredBy(server.platformUrl, "process_start_time_seconds")).length, {
          timeout: 60_000,
        })
        .toBe(2);
      expect(childrenOf(server.pid)).not.toContain(before[victim]);
      const restarts = await measuredBy(server.platformUrl, "switchyard_process_restarts_total");
      expect(Object.values(restarts).reduce((sum, count) => sum + count, 0)).toBe(round + 1);
    }
    expect(linesSaying(server, "a process died")[0]).toMatchObject({
      process: "supervisor",
      how: "was ended by SIGKILL",
    });
    expect((await server.stop()).code).toBe(0);
  }, 180_000);

  it("count what a caller may do together", async () => {
    const server = await start({ environment: { ...environment, RATE_LIMIT_SIGN_IN_PER_MINUTE: "10" } });
    const statuses: number[] = [];
    for (let count = 0; count < 30; count++) {
      const response = await fetch(`${server.platformUrl}/api/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ email: "stranger@example.com", password: "correct horse battery" }),
      });
      statuses.push(response.status);
      // Longer than they take to tell each other.
      await delay(150);
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    // On a machine that is busy with other things they may hear of each other a little later.
    const tried = statuses.filter((status) => status === 401).length;
    expect([tried >= 10, tried <= 12]).toEqual([true, true]);
    const answered = await measuredBy(server.platformUrl, "switchyard_http_request_seconds_count", "platform");
    expect(Object.keys(answered).sort()).toEqual(["1", "2"]);
    expect((await server.stop()).code).toBe(0);
  }, 90_000);

  it("are killed when Ctrl-C is pressed again, and the database still stops", async () => {
    const server = await start();
    await beginRequest(server.ports.platform);
    const stopped = server.stop("SIGINT");
    server.child.kill("SIGINT");
    await delay(1_500);
    expect(server.child.exitCode).toBeNull();
    const toldAt = performance.now();
    server.child.kill("SIGINT");
    expect((await stopped).code).toBe(1);
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    expect(postgresPid(dataDir)).toBeUndefined();
  }, 60_000);

  it("stop while they are being replaced, and leave nothing behind", async () => {
    const server = await start();
    server.child.kill("SIGHUP");
    await expect.poll(() => childrenOf(server.pid).length, { timeout: 10_000 }).toBe(3);
    expect((await server.stop()).code).toBe(0);
    expect(leftovers(dataDir)).toEqual([]);
  }, 60_000);

  it("end with their supervisor, and with npm", async () => {
    const killed = await start();
    const children = childrenOf(killed.pid);
    killed.child.kill("SIGKILL");
    await expect.poll(() => children.filter(isAlive), { timeout: 5_000 }).toEqual([]);
    const server = await start({ throughNpm: true });
    server.child.kill("SIGTERM");
    await expect.poll(() => leftovers(dataDir), { timeout: 10_000 }).toEqual([]);
  }, 90_000);
});

describe("a start of several processes that cannot be", () => {
  const refusedStart = async (given: Record<string, string>) => {
    const ports = { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(await freePort()) };
    const { ended } = spawnSwitchyard(["serve"], {
      environment: { SWITCHYARD_DATA_DIR: dataDir, ...ports, ...environment, ...given },
    });
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.match(/^Switchyard cannot start\. /gm)).toHaveLength(1);
    return stderr;
  };

  it("names what PROCESSES may be", async () => {
    for (const value of ["0", "many"])
      expect(await refusedStart({ PROCESSES: value })).toContain(
        "PROCESSES: must be auto or a whole number from 1 to 64",
      );
  });

  it("says how many connections are missing", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const stderr = await refusedStart({ PROCESSES: "64", DATABASE_URL: database.url });
    expect(stderr).toMatch(
      /64 processes open up to 1373 connections, and the database gives \d+\. Raise max_connections/,
    );
  });

  it("names a port that is in use, once", async () => {
    const other = createServer();
    other.listen(await freePort(), "localhost");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await refusedStart({ MCP_API_PORT: String(port) })).toContain(`Port ${port} is in use`);
  }, 60_000);

  it("gives up when no process ever comes up", async () => {
    const ports = { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(await freePort()) };
    const { pid, ended } = spawnSwitchyard(["serve"], {
      environment: { SWITCHYARD_DATA_DIR: dataDir, ...ports, ...environment },
    });
    let isOver = false;
    void ended.then(() => (isOver = true));
    for (; !isOver; await delay(20)) await killAll(childrenOf(pid));
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "Switchyard cannot start. A process was ended by SIGKILL, 5 times in a row before it was up.",
      ),
    ]);
  }, 60_000);
});
