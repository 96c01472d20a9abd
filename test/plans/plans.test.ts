import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { agreedPlatformTools } from "../support/catalog/agreed-catalogue.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpOwner } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";

let cloud: McpApp;
let selfHosted: McpApp;
let dataDir: string;
beforeAll(async () => {
  // The cap of self-hosted installations is another one, so that it shows which of the two counts.
  const environment = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1" };
  cloud = await startMcpApp({ environment: { ...environment, DEPLOYMENT_MODE: "cloud" } });
  selfHosted = await startMcpApp({ environment });
  dataDir = mkdtempSync(join(tmpdir(), "switchyard-plans-"));
});
afterAll(async () => {
  await Promise.all([cloud.stop(), selfHosted.stop()]);
  rmSync(dataDir, { recursive: true, force: true });
});

const setPlan = (organization: string, plan: string, mode = "cloud") =>
  runSwitchyard(["organizations", "set-plan", "--organization", organization, "--plan", plan], {
    SWITCHYARD_DATA_DIR: dataDir,
    DEPLOYMENT_MODE: mode,
    DATABASE_URL: cloud.app.database.url,
    SWITCHYARD_MASTER_KEY: (cloud.app.config.masterKey as Buffer).toString("base64"),
  });

const startWait = ({ client }: McpApp, seconds: number) =>
  client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds } });

const countRunning = async ({ owner }: McpApp) =>
  (await owner.browser.get(`/api/organizations/${owner.organizationId}/tool-calls?status=running`)).body.data
    .length as number;

describe("how many calls run at once", () => {
  it("is for all organizations the same when self-hosted, whatever their plan", async () => {
    await selfHosted.app.database.query("UPDATE organization SET plan_id = 'pro'");
    const startedAt = performance.now();
    await Promise.all([1, 2, 3].map(() => startWait(selfHosted, 0.4)));
    // One after the other; two at once would need 0.8 s.
    expect(performance.now() - startedAt).toBeGreaterThan(1_190);
  });

  it("comes from the plan in the cloud: two at first, and more while calls are waiting once the plan is another", async () => {
    const waits = Array.from({ length: 4 }, () => startWait(cloud, 5));
    await expect.poll(() => countRunning(cloud)).toBe(2);
    await cloud.app.parts.plans.setPlan(cloud.owner.organizationId, "pro");
    await expect.poll(() => countRunning(cloud), { timeout: 4_500 }).toBe(4);
    await Promise.all(waits);
  });

  it("is a row of a table: another number needs no new release", async () => {
    const rows = await cloud.app.database.query("SELECT id, max_concurrent_executions AS cap FROM plan ORDER BY 2");
    expect(rows).toEqual([
      { id: "free", cap: 2 },
      { id: "pro", cap: 10 },
      { id: "business", cap: 50 },
    ]);
    await cloud.app.parts.plans.setPlan(cloud.owner.organizationId, "pro");
    const [unknown, bob] = [newId(), await signUpOwner(cloud.app, "Bob")];
    await cloud.app.database.query("UPDATE plan SET max_concurrent_executions = 3 WHERE id = 'free'");
    const caps = await cloud.app.parts.plans.capOf([cloud.owner.organizationId, unknown, bob.organizationId]);
    expect(Object.fromEntries(caps)).toEqual({ [cloud.owner.organizationId]: 10, [bob.organizationId]: 3 });
  });
});

describe("organizations set-plan", () => {
  it("changes the plan beside a running server, which then keeps to it", async () => {
    const { organizationId } = cloud.owner;
    const { code, stdout } = await setPlan(organizationId, "business");
    expect([code, JSON.parse(stdout)]).toEqual([0, { organizationId, plan: "business" }]);
    const waits = Array.from({ length: 12 }, () => startWait(cloud, 6));
    await expect.poll(() => countRunning(cloud), { timeout: 8_000 }).toBe(12);
    await Promise.all(waits);
  });

  it("is refused where plans do not count", async () => {
    const { code, stderr } = await setPlan(cloud.owner.organizationId, "pro", "self-hosted");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^organizations: Plans only count where DEPLOYMENT_MODE is cloud\. /),
    ]);
  });

  it("refuses an unknown plan with the known ones, and an unknown organization", async () => {
    const wrong = await setPlan(cloud.owner.organizationId, "gold");
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      "organizations: There is no such plan; the plans are free, pro, business.\n",
    ]);
    const nobodys = await setPlan(newId(), "pro");
    expect([nobodys.code, nobodys.stderr]).toEqual([1, "organizations: There is no such organization.\n"]);
  });
});

describe("platform_get_credit_balance", () => {
  const catalogueOf = async ({ app }: McpApp) => {
    const answer = await fetch(`${app.gatewayUrl}/servers`);
    const { data, meta } = (await answer.json()) as {
      data: { id: string; toolCount: number }[];
      meta: { toolCount: number };
    };
    return [data.find(({ id }) => id === "platform")?.toolCount, meta.toolCount];
  };
  const call = async (mcp: McpApp, client = mcp.connect("platform", ["platform:read"])) =>
    (await client.modern("platform", "tools/call", { name: "platform_get_credit_balance", arguments: {} })).json;

  it("is one tool more on the platform server, in the cloud only", async () => {
    expect([await catalogueOf(cloud), await catalogueOf(selfHosted)]).toEqual([
      [agreedPlatformTools.length + 1, onDisk.serverTools.length + 1],
      [agreedPlatformTools.length, onDisk.serverTools.length],
    ]);
    expect((await call(selfHosted)).error?.message).toContain("unknown tool");
  });

  it("is the sum of the organization's own entries, and needs platform:read", async () => {
    const eve = await signUpOwner(cloud.app, "Eve");
    expect((await call(cloud)).result?.structuredContent).toEqual({ balance: 0 });
    const add = (organizationId: string, amount: number) =>
      cloud.app.database.query(
        "INSERT INTO credit_entry (id, organization_id, amount, reason) VALUES ($1, $2, $3, 'test')",
        [newId(), organizationId, amount],
      );
    await add(cloud.owner.organizationId, 5_000_000_000);
    await add(cloud.owner.organizationId, -1);
    await add(eve.organizationId, 77);
    expect((await call(cloud)).result?.structuredContent).toEqual({ balance: 4_999_999_999 });
    expect((await call(cloud, cloud.connect("platform", ["platform:write"]))).error?.data).toMatchObject({
      code: "insufficient_scope",
    });
  });
});
