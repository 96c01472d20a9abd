import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { readIssueRecords } from "../support/gateway/gateway-pair.ts";
import { createMcpClient, type RpcAnswer } from "../support/gateway/mcp-client.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { busySettings } from "../support/test-settings.ts";

type Place = { organizationId: string; reference: string; key: string };

let provider: CountingProvider;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let near: TestApp;
let far: TestApp;
let ours: Place;
let theirs: Place;

beforeAll(async () => {
  [provider, database] = await Promise.all([startCountingProvider(), createTestDatabase()]);
  const environment = { ...busySettings, SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "3" };
  const start = () => startTestApp({ database, environment, roles: ["gateway"] });
  near = await start();
  far = await start();
  [ours, theirs] = await Promise.all([furnish("Ours"), furnish("Theirs")]);
});
afterAll(async () => {
  await Promise.all([far.stop(), near.stop()]);
  await database.drop();
  await provider.stop();
});
beforeEach(() => provider.forget());

async function furnish(name: string): Promise<Place> {
  const organizationId = newId();
  await database.query("INSERT INTO organization (id, name) VALUES ($1, $2)", [organizationId, name]);
  const data = { kind: "bearer", accessToken: `token-of-${name}`, baseUrl: provider.url };
  const { reference } = await near.parts.vault.credentials.create(organizationId, {
    type: "github",
    name,
    data,
    createdBy: null,
  });
  return { organizationId, reference, key: await newKey(organizationId) };
}

const newKey = async (organizationId: string) =>
  (await near.parts.identity.apiKeys.create(organizationId, { name: "test", scopes: ["mcp:invoke"], createdBy: null }))
    .key;

const clientOf = (app: TestApp, { key }: { key: string }) =>
  createMcpClient(app.gatewayUrl, { "x-api-key": key, "mcp-protocol-version": "2025-11-25" });

/** A call that the provider does not answer before it is let go, or ever when its title begins with `hang`. */
function call(app: TestApp, place: Place, { id, title }: { id: string | number; title: string }): Promise<RpcAnswer> {
  const given = { owner: "acme", repo: "site", title, credentials: { github: place.reference } };
  const params = { name: "github_create_issue", arguments: given };
  return clientOf(app, place).post("github", { jsonrpc: "2.0", id, method: "tools/call", params });
}

async function cancel(app: TestApp, caller: { key: string }, requestId: unknown, serverId = "github"): Promise<void> {
  const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
  expect((await clientOf(app, caller).post(serverId, notification)).status).toBe(202);
}

const running = (count: number) => provider.whenRunning(count, 5_000);
const statusOf = async (place: Place, title: string) =>
  (await readIssueRecords({ database }, place)).filter(({ asked }) => asked === title).map(({ status }) => status);
const isCancelled = { isError: true, _meta: { "switchyard/error": { code: "cancelled" } } };
/** Longer than processes take to agree on what to cancel. */
const wellPast = () => delay(800);

describe("a cancellation of a 2025 client that another process gets", () => {
  it.each([7, "7 – and a text of its own ".repeat(500)])(
    "ends the call, its request to the provider and its record",
    async (id) => {
      const title = `hang ${randomUUID()}`;
      const answered = call(near, ours, { id, title });
      await running(1);
      await cancel(far, ours, id);
      expect((await answered).json.result).toMatchObject(isCancelled);
      await expect.poll(() => provider.brokenOff).toEqual([title]);
      expect(await statusOf(ours, title)).toEqual(["cancelled"]);
    },
  );

  it("ends it also after the processes lost each other for a while", async () => {
    const sessions =
      "FROM pg_stat_activity WHERE application_name = 'switchyard slots' AND datname = current_database()";
    const before = await database.query<{ pid: number }>(`SELECT pid, pg_terminate_backend(pid) ${sessions}`);
    const isBack = async () => {
      const now = await database.query<{ pid: number; state: string }>(`SELECT pid, state ${sessions}`);
      return now.filter(({ pid, state }) => state === "idle" && before.every((one) => one.pid !== pid)).length;
    };
    await expect.poll(isBack, { timeout: 10_000 }).toBe(before.length);
    const answered = call(near, ours, { id: 1, title: `hang ${randomUUID()}` });
    await running(1);
    await cancel(far, ours, 1);
    expect(before.length).toBe(2);
    expect((await answered).json.result).toMatchObject(isCancelled);
  });

  it("ends a call that waits for a slot", async () => {
    const letGo = provider.hold();
    const others = [1, 2, 3].map((id) => call(near, ours, { id, title: randomUUID() }));
    await running(3);
    const title = randomUUID();
    const answered = call(near, ours, { id: "waits", title });
    await expect
      .poll(async () =>
        (await (await fetch(`${near.gatewayUrl}/metrics`)).text()).includes('switchyard_slots{state="waiting"} 1'),
      )
      .toBe(true);
    await cancel(far, ours, "waits");
    expect((await answered).json.result).toMatchObject(isCancelled);
    expect(await statusOf(ours, title)).toEqual(["cancelled"]);
    letGo();
    for (const { json } of await Promise.all(others)) expect(json.result?.isError).toBeUndefined();
  });

  it("ends nothing of another key, another organization, another server or another id", async () => {
    const letGo = provider.hold();
    const answered = call(near, ours, { id: 1, title: randomUUID() });
    await running(1);
    for (const app of [near, far]) {
      await cancel(app, theirs, 1);
      await cancel(app, { key: await newKey(ours.organizationId) }, 1);
      await cancel(app, ours, 1, "slack");
      for (const id of ["1", 2, null, {}, undefined]) await cancel(app, ours, id);
    }
    await wellPast();
    letGo();
    expect((await answered).json.result?.structuredContent).toMatchObject({ items: [{}] });
  });

  it.each([
    ["one in each process", () => [near, far]],
    ["both in one process", () => [near, near]],
  ])("ends neither of two calls with the same id, %s", async (_where, apps) => {
    const letGo = provider.hold();
    const answers = apps().map((app) => call(app, ours, { id: 1, title: randomUUID() }));
    await running(2);
    for (const app of [far, near]) await cancel(app, ours, 1);
    await wellPast();
    letGo();
    for (const { json } of await Promise.all(answers))
      expect(json.result?.structuredContent).toMatchObject({ items: [{}] });
    expect(provider.brokenOff).toEqual([]);
  });

  it("ends a call of one organization and leaves that of another with the same id", async () => {
    const letGo = provider.hold();
    const kept = call(far, theirs, { id: 1, title: randomUUID() });
    const ended = call(near, ours, { id: 1, title: randomUUID() });
    await running(2);
    await cancel(far, ours, 1);
    expect((await ended).json.result).toMatchObject(isCancelled);
    letGo();
    expect((await kept).json.result?.structuredContent).toMatchObject({ items: [{}] });
  });
});

it("A process that gets the cancellation of its own call ends it, with others beside it.", async () => {
  const title = `hang ${randomUUID()}`;
  const answered = call(near, ours, { id: 1, title });
  await running(1);
  await cancel(near, ours, 1);
  expect((await answered).json.result).toMatchObject(isCancelled);
  await expect.poll(() => provider.brokenOff).toEqual([title]);
});
