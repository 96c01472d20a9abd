import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { node } from "../support/runs/workflow-app.ts";
import { startTestApp } from "../support/test-app.ts";
import { startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

type Hook = { id: number; config: { url: string } };

let hooks: WebhookApp;
let github: Server;
let present: Hook[] = [];
let made = 0;
let isDown = false;
/** Accounts that GitHub does not know at the moment. */
let revoked: string[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, value?: unknown) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(value === undefined ? "" : JSON.stringify(value));
  if (isDown) return void request.socket.destroy();
  if (revoked.includes(request.headers.authorization ?? "")) return send(401, { message: "Bad credentials" });
  if (request.method === "GET") return send(200, present);
  if (request.method === "DELETE") {
    present = present.filter(({ id }) => !request.url?.endsWith(`/${id}`));
    return send(204);
  }
  const hook = { id: ++made, ...((await json(request)) as Omit<Hook, "id">) };
  present.push(hook);
  send(201, hook);
}

beforeAll(async () => {
  github = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => github.listen(0, "127.0.0.1", resolve));
  hooks = await startWebhookApp();
});
afterAll(async () => {
  await hooks?.stop();
  github?.closeAllConnections();
  await new Promise((resolve) => github.close(resolve));
});
beforeEach(async () => {
  [present, isDown, revoked] = [[], false, []];
  await hooks.app.database.query("DELETE FROM webhook_removal");
});

const accountOf = (token: string) => ({
  kind: "bearer",
  accessToken: token,
  baseUrl: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
});
const listPath = () => `${hooks.flows.path}/webhook-removals`;
const list = async () => (await hooks.owner.browser.get(listPath())).body.data as Record<string, unknown>[];
const makeDue = () =>
  hooks.app.database.query("UPDATE webhook_removal SET next_try_at = now() WHERE next_try_at IS NOT NULL");
const readRows = () =>
  hooks.app.database.query<{ tries: number; seconds: number | null }>(
    "SELECT tries, extract(epoch FROM next_try_at - now())::float8 AS seconds FROM webhook_removal",
  );

async function setUp() {
  const workflowId = await hooks.flows.save([node("a", "set_fields", { fields: { x: "1" } })]);
  const trigger = await hooks.ofProvider("github", accountOf("canary-token"), {
    workflowId,
    register: true,
    places: ["acme/shop"],
  });
  return { workflowId, trigger, workflowPath: `${hooks.flows.path}/workflows/${workflowId}` };
}

describe("a webhook whose workflow is deleted while its provider is down", () => {
  it("is shown with the reason and without a secret, and is removed once the provider is back, also by another process", async () => {
    const { trigger, workflowPath } = await setUp();
    isDown = true;
    expect((await hooks.owner.browser.delete(workflowPath)).status).toBe(204);
    const [left] = await list();
    expect(left).toMatchObject({
      triggerId: trigger.id,
      triggerName: "Hook",
      provider: "github",
      place: "acme/shop",
      tries: 1,
      reason: expect.stringMatching(/\S/),
      nextTryAt: expect.any(String),
    });
    const [stored] = await hooks.app.database.query<{ text: string }>(
      "SELECT webhook_removal::text AS text FROM webhook_removal",
    );
    for (const text of [stored?.text, JSON.stringify(left), hooks.app.logLines.join("")])
      expect(text).not.toContain("canary");

    isDown = false;
    await hooks.app.removeWebhooks();
    expect(present).toHaveLength(1);
    await makeDue();
    const restarted = await startTestApp({
      database: hooks.app.database,
      environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", PLATFORM_API_BASE_URL: hooks.app.platformUrl },
    });
    await restarted.removeWebhooks();
    await restarted.stop();
    expect([present, await list()]).toEqual([[], []]);
  });

  it("is noted in the transaction that deletes the workflow, so that no process that dies afterwards forgets it", async () => {
    const { workflowId } = await setUp();
    await hooks.app.database.query(
      `CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$`,
    );
    await hooks.app.database.query(
      "CREATE TRIGGER full_up BEFORE INSERT ON webhook_removal EXECUTE FUNCTION refuse_deletion()",
    );
    const path = `${hooks.flows.path}/workflows/${workflowId}`;
    expect((await hooks.owner.browser.delete(path)).status).toBeGreaterThanOrEqual(500);
    await hooks.app.database.query("DROP FUNCTION refuse_deletion CASCADE");
    expect((await hooks.owner.browser.get(path)).status).toBe(200);
    expect((await hooks.owner.browser.delete(path)).status).toBe(204);
    expect([present, await list()]).toEqual([[], []]);
  });

  it("is tried with growing pauses, given up after three days, and tried or forgotten when somebody says so", async () => {
    const { workflowPath } = await setUp();
    revoked = ["Bearer canary-token"];
    await hooks.owner.browser.delete(workflowPath);
    const pauses: number[] = [];
    for (const skipped of [0, 0, 0, 10, 0]) {
      const [row] = await readRows();
      pauses.push(Math.ceil((row?.seconds ?? 0) / 60));
      await hooks.app.database.query("UPDATE webhook_removal SET next_try_at = now(), tries = tries + $1", [skipped]);
      await hooks.app.removeWebhooks();
    }
    expect(pauses).toEqual([2, 4, 8, 16, 360]);

    await hooks.app.database.query(
      "UPDATE webhook_removal SET next_try_at = now(), created_at = now() - interval '73 hours'",
    );
    await hooks.app.removeWebhooks();
    const [left] = await list();
    expect(left?.nextTryAt).toBeNull();
    expect(hooks.app.logLines.some((line) => line.includes("is not tried again"))).toBe(true);
    revoked = [];
    await hooks.app.removeWebhooks();
    expect(present).toHaveLength(1);

    expect((await hooks.owner.browser.post(`${listPath()}/${left?.id}/retry`)).status).toBe(204);
    expect([present, await list()]).toEqual([[], []]);
    expect((await hooks.owner.browser.post(`${listPath()}/${left?.id}/retry`)).status).toBe(404);
  });

  it("is for administrators of its organization", async () => {
    const { workflowPath } = await setUp();
    isDown = true;
    await hooks.owner.browser.delete(workflowPath);
    const [left] = await list();
    const stranger = await signUpOwner(hooks.app, "Stranger");
    expect((await stranger.browser.get(listPath())).status).toBe(404);
    const own = `/api/organizations/${stranger.organizationId}/webhook-removals`;
    expect((await stranger.browser.get(own)).body.data).toEqual([]);
    for (const send of [
      stranger.browser.delete(`${own}/${left?.id}`),
      stranger.browser.post(`${own}/${left?.id}/retry`),
    ])
      expect((await send).status).toBe(404);
    expect((await hooks.owner.browser.delete(`${listPath()}/${left?.id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
  });
});

describe("the account that a webhook was set up with", () => {
  const credentialPath = (id: string) => `${hooks.flows.path}/credentials/${id}`;
  const gone = "The account that it was set up with is deleted.";

  it("is not deleted by accident, says what would stay at the provider, and ends what is still to be removed", async () => {
    const { trigger, workflowPath } = await setUp();
    const { browser } = hooks.owner;
    const path = credentialPath(trigger.credentialId);
    const webhooks = [{ provider: "github", providerTitle: "GitHub", place: "acme/shop", triggerName: "Hook" }];
    expect((await browser.get(`${path}/uses`)).body).toMatchObject({ workflows: [], webhooks });
    isDown = true;
    for (const step of ["while it is set up", "while it is to be removed"]) {
      const { status, body } = await browser.delete(path);
      expect([step, status, body.code, body.detail]).toEqual([
        step,
        409,
        "credential_in_use",
        expect.stringContaining("GitHub (acme/shop)"),
      ]);
      await browser.delete(workflowPath);
    }
    expect((await browser.get(`${path}/uses`)).body).toMatchObject({ triggers: [], webhooks });
    expect((await browser.delete(`${path}?force=true`)).status).toBe(204);
    const [left] = await list();
    expect(left).toMatchObject({ place: "acme/shop", reason: gone, nextTryAt: null });
    isDown = false;
    expect((await browser.post(`${listPath()}/${left?.id}/retry`)).status).toBe(204);
    expect([present.length, await list()]).toMatchObject([1, [{ reason: gone, nextTryAt: null }]]);
  });

  it("is missed at the first try where nobody noted that it went, and no more after that", async () => {
    const { trigger, workflowPath } = await setUp();
    isDown = true;
    await hooks.owner.browser.delete(workflowPath);
    await hooks.app.database.query("DELETE FROM credential WHERE id = $1", [trigger.credentialId]);
    await makeDue();
    await hooks.app.removeWebhooks();
    expect(await list()).toMatchObject([{ reason: gone, nextTryAt: null }]);
  });

  it("may be deleted before the trigger, which says then what to do", async () => {
    const { trigger } = await setUp();
    expect((await hooks.owner.browser.delete(`${credentialPath(trigger.credentialId)}?force=true`)).status).toBe(204);
    const { status, body } = await hooks.owner.browser.delete(`${hooks.path}/${trigger.id}`);
    const words = `GitHub may still have the webhook, and deliver to nobody: ${gone} Remove it there.`;
    expect([status, body.notRemoved]).toEqual([200, words]);
    expect(await list()).toMatchObject([{ triggerId: trigger.id, reason: gone, tries: 1, nextTryAt: null }]);
  });
});

describe("a webhook that cannot be removed", () => {
  it("when its trigger is deleted is removed later", async () => {
    const { trigger } = await setUp();
    isDown = true;
    const { status, body } = await hooks.owner.browser.delete(`${hooks.path}/${trigger.id}`);
    expect([status, body.notRemoved]).toEqual([200, expect.stringMatching(/^GitHub may still have the webhook/)]);
    expect(await list()).toMatchObject([{ triggerId: trigger.id, place: "acme/shop", tries: 1 }]);
    isDown = false;
    await makeDue();
    await hooks.app.removeWebhooks();
    expect([present, await list()]).toEqual([[], []]);
  });

  it("when its trigger gets another account is removed later, and the new one stays", async () => {
    const { trigger } = await setUp();
    const [before] = present;
    revoked = ["Bearer canary-token"];
    const credentialId = await hooks.connect("github", accountOf("other-token"));
    expect((await hooks.owner.browser.patch(`${hooks.path}/${trigger.id}`, { credentialId })).status).toBe(200);
    expect(present).toHaveLength(2);
    revoked = [];
    await makeDue();
    await hooks.app.removeWebhooks();
    expect(present).toHaveLength(1);
    expect(present[0]?.id).not.toBe(before?.id);
    expect([await list(), (await hooks.read(trigger.id)).isRegistered]).toEqual([[], true]);
  });
});

describe("a webhook whose organization is deleted while its provider is down", () => {
  async function deleteOrganization(ownerName: string) {
    const { browser, organizationId } = await signUpOwner(hooks.app, ownerName);
    const path = `/api/organizations/${organizationId}`;
    const connect = async (token: string) =>
      (await browser.post(`${path}/credentials`, { type: "github", name: "GitHub", data: accountOf(token) })).body
        .id as string;
    const [credentialId] = [await connect("canary-token"), await connect("not-needed")];
    const canvas = { nodes: [node("a", "set_fields", { fields: { x: "1" } })], edges: [] };
    const workflow = (await browser.post(`${path}/workflows`, { name: "Sort", canvas })).body;
    const wanted = {
      workflowId: workflow.id,
      kind: "webhook",
      name: "Hook",
      provider: "github",
      credentialId,
      register: true,
    };
    expect((await browser.post(`${path}/triggers`, { ...wanted, places: ["acme/shop"] })).status).toBe(201);
    isDown = true;
    expect((await browser.delete(path)).status).toBe(204);
    await hooks.app.removeDeleted();
    const count = async (table: string, column = "organization_id") =>
      (await hooks.app.database.query(`SELECT FROM ${table} WHERE ${column} = $1`, [organizationId])).length;
    expect([
      await count("organization", "id"),
      await count("credential"),
      await count("workflow"),
      await count("trigger"),
    ]).toEqual([1, 1, 0, 0]);
    expect((await browser.get(path)).status).toBe(404);
    return count;
  }

  it("is removed later with its account, which is all that stays until then", async () => {
    const count = await deleteOrganization("Bob");
    isDown = false;
    await makeDue();
    await hooks.app.removeWebhooks();
    expect(present).toEqual([]);
    await hooks.app.removeDeleted();
    expect([await count("organization", "id"), await count("credential"), await count("webhook_removal")]).toEqual([
      0, 0, 0,
    ]);
  });

  it("is given up after three days, and its account goes", async () => {
    const count = await deleteOrganization("Cem");
    await hooks.app.database.query(
      "UPDATE webhook_removal SET next_try_at = now(), created_at = now() - interval '73 hours'",
    );
    await hooks.app.removeWebhooks();
    await hooks.app.removeDeleted();
    expect([await count("organization", "id"), await count("credential"), await count("webhook_removal")]).toEqual([
      0, 0, 0,
    ]);
  });
});
