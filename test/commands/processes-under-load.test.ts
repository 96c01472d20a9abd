import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpClient, modernHeaders, modernMeta } from "../support/gateway/mcp-client.ts";
import { roundsOf } from "../support/rounds.ts";
import { type RunPair, startRunPair } from "../support/runs/run-pair.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { childrenOf, linesSaying, measuredBy } from "../support/supervised.ts";

let pair: RunPair;
let server: SpawnedServer;
let callKey: string;

beforeAll(async () => {
  const environment = { PROCESSES: "2", LOG_LEVEL: "info" };
  pair = await startRunPair({ roles: ["platform,gateway,worker"], environment });
  pair.provider.takeTime(20);
  server = pair.servers[0] as SpawnedServer;
  const { app, owner } = pair.ann;
  const wanted = { name: "calls", scopes: ["mcp:invoke" as const], createdBy: null };
  callKey = (await app.parts.identity.apiKeys.create(owner.organizationId, wanted)).key;
}, 300_000);
afterAll(() => pair?.stop(), 60_000);

/** Calls of a tool and runs, each over a connection of its own, one after the other. */
function startLoad() {
  const runs = new Set<string>();
  const calls = new Set<string>();
  const failures: { atMs: number; what: string }[] = [];
  let isOver = false;
  const client = createMcpClient(server.gatewayUrl, {});

  const trigger = async () => {
    const response = await fetch(`${server.platformUrl}/task-runner/trigger/${pair.workflowId}`, {
      method: "POST",
      headers: { "x-api-key": pair.ann.key, "content-type": "application/json", prefer: "wait=5", connection: "close" },
      body: JSON.stringify({ runtimePrompt: pair.nonce() }),
    });
    const { id } = (await response.json()) as { id: string };
    if (response.status !== 200 && response.status !== 202) throw new Error(`a trigger got ${response.status}`);
    runs.add(id);
  };
  const call = async () => {
    const title = pair.nonce();
    const params = {
      name: "github_create_issue",
      arguments: { owner: "acme", repo: "site", title },
      _meta: modernMeta,
    };
    const { json } = await client.post(
      "github",
      { jsonrpc: "2.0", id: title, method: "tools/call", params },
      { ...modernHeaders("tools/call", params.name), "x-api-key": callKey, connection: "close" },
    );
    if (json.result?.isError || !json.result?.structuredContent) throw new Error(JSON.stringify(json));
    calls.add(title);
  };
  const loop = async (work: () => Promise<void>) => {
    while (!isOver) {
      const atMs = performance.now();
      await work().catch((error: Error) => void failures.push({ atMs, what: String(error.cause ?? error) }));
      await delay(10);
    }
  };
  const loops = [trigger, trigger, trigger, call, call, call].map(loop);
  return {
    runs,
    calls,
    failures,
    async whenMore(count: number): Promise<void> {
      const [wantedRuns, wantedCalls] = [runs.size + count, calls.size + count];
      const tooFew = () => [wantedRuns - runs.size, wantedCalls - calls.size].filter((missing) => missing > 0);
      await expect.poll(tooFew, { timeout: 60_000, message: failures.at(-1)?.what ?? "no failure" }).toEqual([]);
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

type Load = ReturnType<typeof startLoad>;

/** Every run that was accepted has ended well, and every call that was answered is in the history with its end. */
async function expectNothingLost({ runs, calls }: Load): Promise<void> {
  const statuses = await pair.statuses([...runs], 120_000);
  expect([statuses.length, statuses.filter((status) => status !== "succeeded")]).toEqual([runs.size, []]);
  const rows = await pair.database.query<{ title: string }>(
    "SELECT parameters::json ->> 'title' AS title FROM tool_call WHERE status = 'success'",
  );
  expect([...calls].filter((title) => !rows.some((row) => row.title === title))).toEqual([]);
}

const whenBoth = () =>
  expect
    .poll(async () => Object.keys(await measuredBy(server.platformUrl, "process_start_time_seconds")).length, {
      timeout: 60_000,
    })
    .toBe(2);

describe("two processes under load", () => {
  it(
    "lose no accepted run and no answered call when one is killed, and answer whoever comes after that",
    async () => {
      const load = startLoad();
      const killedAt: number[] = [];
      try {
        for (let round = 0; round < roundsOf(3, 20); round++) {
          await load.whenMore(5);
          await whenBoth();
          killedAt.push(performance.now());
          process.kill(childrenOf(server.pid)[round % 2] as number, "SIGKILL");
          await load.whenMore(5);
        }
      } finally {
        await load.stop();
      }
      // What the killed process was doing is cut off; nothing that began after it is.
      const others = load.failures.filter(({ atMs }) => !killedAt.some((kill) => atMs < kill && atMs > kill - 6_000));
      expect(others).toEqual([]);
      expect(load.failures.length).toBeLessThanOrEqual(6 * killedAt.length);
      await expectNothingLost(load);
    },
    roundsOf(400_000, 3_600_000),
  );

  it("are replaced one by one without a single request that is refused or cut off", async () => {
    await whenBoth();
    const before = childrenOf(server.pid);
    const load = startLoad();
    try {
      await load.whenMore(5);
      server.child.kill("SIGHUP");
      await expect.poll(() => linesSaying(server, "every process was replaced").length, { timeout: 120_000 }).toBe(1);
      await load.whenMore(5);
    } finally {
      await load.stop();
    }
    expect(load.failures).toEqual([]);
    expect(childrenOf(server.pid).filter((pid) => before.includes(pid))).toEqual([]);
    await expectNothingLost(load);
  }, 400_000);
});
