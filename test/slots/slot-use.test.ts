import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SlotUse } from "../../src/slots/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp } from "../support/test-app.ts";

const environment = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "2" };
let mcp: McpApp;
let vera: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  mcp = await startMcpApp({ environment });
  vera = await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
});
afterAll(() => mcp.stop());

const path = (rest: string, organizationId = mcp.owner.organizationId) => `/api/organizations/${organizationId}${rest}`;
const read = async () => (await vera.browser.get(path("/slots"))).body as SlotUse;
const nothing = { cap: 2, inUse: 0, waiting: 0, oldestWaitMs: null, byKind: { runs: 0, calls: 0 } };
const call = (seconds: number) => mcp.owner.browser.post(path("/tools/system_wait/call"), { parameters: { seconds } });

async function startRun(seconds: number): Promise<string> {
  const nodes = [{ id: "a", nodeId: "system_wait", parameters: { seconds } }];
  const { body } = await mcp.owner.browser.post(path("/workflows"), { name: "Wait", canvas: { nodes, edges: [] } });
  const started = await mcp.owner.browser.post(path(`/workflows/${body.id}/runs`), {});
  expect(started.status).toBe(202);
  return started.body.id;
}

describe("the slots of an organization", () => {
  it("are shown to a viewer while nothing uses them", async () => {
    const { status, body } = await vera.browser.get(path("/slots"));
    expect([status, body]).toEqual([200, nothing]);
  });

  it("say what uses them, who waits and since when, and are free at once when it ends", async () => {
    const runId = await startRun(1.2);
    await expect.poll(read).toMatchObject({ inUse: 1, byKind: { runs: 1, calls: 0 } });
    const calls = [call(1)];
    await expect.poll(read).toMatchObject({ inUse: 2, waiting: 0, byKind: { runs: 1, calls: 1 } });
    calls.push(call(0), call(0));
    await expect.poll(read).toMatchObject({ inUse: 2, waiting: 2, oldestWaitMs: expect.any(Number) });
    const [{ oldestWaitMs: before }, , { oldestWaitMs: after }] = [
      await read(),
      await new Promise((done) => setTimeout(done, 50)),
      await read(),
    ];
    expect(Number(after)).toBeGreaterThanOrEqual(Number(before) + 45);
    await Promise.all(calls);
    await expect
      .poll(async () => (await mcp.owner.browser.get(path(`/runs/${runId}`))).body.status, { timeout: 5_000 })
      .toBe("succeeded");
    await expect.poll(read, { timeout: 500 }).toEqual(nothing);
  });

  it("count what other processes hold and who waits there, without knowing what for", async () => {
    const other = await startTestApp({ database: mcp.app.database, environment, roles: ["platform"] });
    onTestFinished(() => other.stop());
    const there = other.browser();
    await there.post("/api/sign-in", { email: mcp.owner.email, password: "correct horse battery" });
    const readThere = async () => (await there.get(path("/slots"))).body as SlotUse;
    const calls = [call(0.8), call(0.8)];
    await expect.poll(read).toMatchObject({ inUse: 2 });
    calls.push(there.post(path("/tools/system_wait/call"), { parameters: { seconds: 0 } }));
    await expect
      .poll(readThere)
      .toEqual({ cap: 2, inUse: 2, waiting: 1, oldestWaitMs: expect.any(Number), byKind: null });
    await expect
      .poll(read)
      .toMatchObject({ inUse: 2, waiting: 1, oldestWaitMs: expect.any(Number), byKind: { runs: 0, calls: 2 } });
    expect((await Promise.all(calls)).map(({ body }) => body.status)).toEqual(["success", "success", "success"]);
  });

  it("are shown to nobody else", async () => {
    const eve = await signUpOwner(mcp.app, "Eve");
    const busy = call(0.3);
    await expect.poll(read).toMatchObject({ inUse: 1 });
    expectProblem(await eve.browser.get(path("/slots")), { status: 404, code: "not_found" });
    expectProblem(await mcp.app.browser().get(path("/slots")), { status: 401, code: "not_signed_in" });
    expect((await eve.browser.get(path("/slots", eve.organizationId))).body).toEqual(nothing);
    await busy;
  });
});
