import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followEvents } from "../support/events/follow-events.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { signGithub, signStandard } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

type Delivery = {
  id: string;
  status: number;
  outcome: string;
  reason: string | null;
  runId: string | null;
  listened: boolean;
  preview: string | null;
  bytes: number;
  method: string;
};
type Made = { id: string; webhookUrl: string; signingSecret: string };

let hooks: WebhookApp;

beforeAll(async () => {
  hooks = await startWebhookApp();
});
afterAll(() => hooks?.stop());

async function webhook(fields: Record<string, unknown> = {}): Promise<Made> {
  const asked = { workflowId: hooks.workflowId, kind: "webhook", name: "Hook", signature: "none", ...fields };
  const { status, body } = await hooks.owner.browser.post(hooks.path, asked);
  expect([status, body.code]).toEqual([201, undefined]);
  return body as Made;
}

const list = async (triggerId: string, query = "") =>
  (await hooks.owner.browser.get(`${hooks.path}/${triggerId}/deliveries${query}`)).body as {
    data: Delivery[];
    nextCursor: string | null;
    listeningUntil: string | null;
  };

/** They are written down a moment after they were answered. */
async function listed(triggerId: string, count: number): Promise<Delivery[]> {
  await expect.poll(async () => (await list(triggerId, "?limit=100")).data.length).toBe(count);
  return (await list(triggerId, "?limit=100")).data;
}

const read = async (triggerId: string, deliveryId: string | undefined) =>
  (await hooks.owner.browser.get(`${hooks.path}/${triggerId}/deliveries/${deliveryId}`)).body;
const listen = (triggerId: string) => hooks.owner.browser.post(`${hooks.path}/${triggerId}/listen`, undefined);

describe("the deliveries of a webhook", () => {
  it("are listed with what was answered, and give the trigger data of the run", async () => {
    const { id, webhookUrl } = await webhook();
    const secret = "super-secret-value";
    const headers = { "x-shop": "7", authorization: `Bearer ${secret}`, "x-api-key": secret };
    const answer = await deliver(`${webhookUrl}?from=shop`, '{"order": 5}', headers);
    const [delivery] = await listed(id, 1);
    const { id: runId } = JSON.parse(answer.text);
    expect(delivery).toMatchObject({ status: 202, outcome: "started", reason: null, runId, listened: false });
    expect(delivery).toMatchObject({ method: "POST", bytes: 12, preview: '{"order":5}' });
    const detail = await read(id, delivery?.id);
    expect(detail).toMatchObject({
      truncated: false,
      data: { source: "webhook", payload: { order: 5 }, query: { from: "shop" }, method: "POST" },
    });
    expect(detail.data.headers).toMatchObject({ "x-shop": "7", "content-type": "application/json" });
    const rows = await hooks.app.database.query("SELECT webhook_delivery::text AS text FROM webhook_delivery");
    expect(JSON.stringify([rows, detail])).not.toContain(secret);
  });

  it("that are refused say why, and nothing is kept of what they brought", async () => {
    const { id, webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    const body = '{"card":"4242"}';
    expect((await deliver(webhookUrl, body, signStandard(`whsec_${"A".repeat(32)}`, body, { id: "1" }))).status).toBe(
      401,
    );
    expect((await deliver(webhookUrl, body, signStandard(signingSecret, body, { id: "2" }))).status).toBe(202);
    const [good, bad] = await listed(id, 2);
    expect(good).toMatchObject({ outcome: "started", status: 202 });
    expect(bad).toMatchObject({ outcome: "refused", status: 401, preview: null, runId: null });
    expect(bad?.reason).toMatch(/^The delivery is refused: .*signature/);
    expect(await read(id, bad?.id)).toMatchObject({ data: null });
    expect((await list(id, "?refused=true")).data.map(({ id: one }) => one)).toEqual([bad?.id]);
    expect((await list(id, "?refused=false")).data.map(({ id: one }) => one)).toEqual([good?.id]);
  });

  it("that start nothing say why: the filter, the method, a webhook that is off", async () => {
    const { id, webhookUrl } = await webhook({ filter: "$trigger.payload.order > 10" });
    await deliver(webhookUrl, '{"order": 5}');
    await fetch(webhookUrl, { method: "PUT", body: "{}" });
    await hooks.owner.browser.patch(`${hooks.path}/${id}`, { active: false });
    await deliver(webhookUrl, '{"order": 50}');
    const [off, put, filtered] = await listed(id, 3);
    expect(off).toMatchObject({ status: 409, outcome: "refused", reason: "This trigger is turned off." });
    expect(put).toMatchObject({ status: 405, outcome: "refused", method: "PUT" });
    expect(filtered).toMatchObject({ status: 200, outcome: "ignored", reason: "The filter does not hold." });
    expect(await read(id, filtered?.id)).toMatchObject({ data: { payload: { order: 5 } } });
  });

  it("are paged, and only the newest are kept; refused ones drive out none that were not", async () => {
    const { id, webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    await deliver(webhookUrl, "{}", signStandard(signingSecret, "{}", { id: "good" }));
    for (let count = 0; count < 104; count += 8)
      await Promise.all(Array.from({ length: 8 }, () => deliver(webhookUrl, "{}")));
    await expect.poll(async () => (await list(id, "?refused=false")).data.length).toBe(1);
    const pages: Delivery[] = [];
    await expect
      .poll(async () => {
        pages.length = 0;
        let cursor: string | null = "";
        while (cursor !== null) {
          const page = await list(id, `?limit=40${cursor && `&cursor=${cursor}`}`);
          pages.push(...page.data);
          cursor = page.nextCursor;
        }
        return pages.length;
      })
      .toBe(101);
    expect(new Set(pages.map((one) => one.id)).size).toBe(101);
  });

  it("go when they are a week old", async () => {
    const { id, webhookUrl } = await webhook();
    await deliver(webhookUrl, "{}");
    await deliver(webhookUrl, "{}");
    const [newer, older] = await listed(id, 2);
    await hooks.app.database.query(
      "UPDATE webhook_delivery SET recorded_at = now() - interval '7 days 1 minute' WHERE id = $1",
      [older?.id],
    );
    await hooks.app.removeOldDeliveries();
    expect((await list(id)).data.map((one) => one.id)).toEqual([newer?.id]);
  });

  it("of a provider are noted too, with its check of the address", async () => {
    const made = await hooks.ofProvider("github", { kind: "bearer", accessToken: "x", webhookSecret: "s" });
    await deliver(made.webhookUrl, "{}", signGithub("s", "{}", "a"));
    await deliver(made.webhookUrl, "{}", signGithub("wrong", "{}", "b"));
    const [bad, good] = await listed(made.id, 2);
    expect(bad).toMatchObject({ outcome: "refused", status: 401 });
    expect(good).toMatchObject({ outcome: "started", status: 202 });
  });

  it("are for the organization alone, and only webhooks have them", async () => {
    const { id, webhookUrl } = await webhook();
    await deliver(webhookUrl, "{}");
    const [delivery] = await listed(id, 1);
    const bob = await signUpOwner(hooks.app, "Bob");
    for (const rest of ["/deliveries", `/deliveries/${delivery?.id}`])
      expectProblem(await bob.browser.get(`/api/organizations/${bob.organizationId}/triggers/${id}${rest}`), {
        status: 404,
        code: "not_found",
      });
    const schedule = { workflowId: hooks.workflowId, kind: "schedule", name: "S", cron: "0 9 * * *", timeZone: "UTC" };
    const { body } = await hooks.owner.browser.post(hooks.path, schedule);
    expectProblem(await hooks.owner.browser.get(`${hooks.path}/${body.id}/deliveries`), {
      status: 409,
      code: "conflict",
    });
    expectProblem(await listen(body.id), { status: 409, code: "conflict" });
  });
});

describe("listening", () => {
  it("shows the next delivery once, while the usual run happens", async () => {
    const { id, webhookUrl } = await webhook();
    const { status, body } = await listen(id);
    expect(status).toBe(200);
    expect(Date.parse(body.until) - Date.now()).toBeGreaterThan(100_000);
    expect(Date.parse(body.until) - Date.now()).toBeLessThan(130_000);
    expect((await list(id)).listeningUntil).toBe(body.until);
    expect((await deliver(webhookUrl, '{"first":1}')).status).toBe(202);
    expect((await deliver(webhookUrl, '{"second":2}')).status).toBe(202);
    const [second, first] = await listed(id, 2);
    expect([first?.listened, first?.outcome, second?.listened]).toEqual([true, "started", false]);
    expect((await list(id, "?listened=true")).data.map((one) => one.id)).toEqual([first?.id]);
    expect((await list(id)).listeningUntil).toBe(null);
    // Kept apart from the run, which may go earlier.
    await hooks.app.database.query("DELETE FROM run WHERE id = $1", [first?.runId]);
    expect(await read(id, first?.id)).toMatchObject({ data: { payload: { first: 1 } } });
    expect(await hooks.startedBy(id)).toHaveLength(1);
  });

  it("only shows what a webhook that is off gets, and its sender hears that all is well", async () => {
    const { id, webhookUrl } = await webhook({ active: false });
    await listen(id);
    expect((await deliver(webhookUrl, '{"order":5}')).status).toBe(200);
    expect((await deliver(webhookUrl, '{"order":6}')).status).toBe(409);
    const [refused, shown] = await listed(id, 2);
    expect(refused).toMatchObject({ outcome: "refused", listened: false });
    expect(shown).toMatchObject({ outcome: "ignored", status: 200, listened: true, runId: null });
    expect(shown?.reason).toBe("It is only shown to who listens. This trigger is turned off.");
    expect(await read(id, shown?.id)).toMatchObject({ data: { payload: { order: 5 } } });
    expect(await hooks.startedBy(id)).toEqual([]);
  });

  it("works for a workflow that is only a draft", async () => {
    const canvas = { nodes: [], edges: [] };
    const draft = await hooks.owner.browser.post(`${hooks.flows.path}/workflows`, {
      name: "Draft",
      canvas,
      publish: false,
    });
    const { id, webhookUrl } = await webhook({ workflowId: draft.body.id });
    await listen(id);
    expect((await deliver(webhookUrl, '{"order":5}')).status).toBe(200);
    const [shown] = await listed(id, 1);
    expect(shown).toMatchObject({ outcome: "ignored", listened: true, runId: null });
    expect(await hooks.startedBy(id)).toEqual([]);
  });

  it("goes on after a delivery that is not believed", async () => {
    const { id, webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    await listen(id);
    expect((await deliver(webhookUrl, "{}")).status).toBe(401);
    expect((await list(id)).listeningUntil).not.toBe(null);
    await deliver(webhookUrl, "{}", signStandard(signingSecret, "{}", { id: "x" }));
    const [good, bad] = await listed(id, 2);
    expect([good?.listened, bad?.listened]).toEqual([true, false]);
  });

  it("ends when somebody stops it, and by itself", async () => {
    const { id, webhookUrl } = await webhook({ active: false });
    await listen(id);
    expect((await hooks.owner.browser.delete(`${hooks.path}/${id}/listen`)).status).toBe(204);
    expect((await deliver(webhookUrl, "{}")).status).toBe(409);
    await listen(id);
    await hooks.app.database.query("UPDATE webhook_listening SET until = now() WHERE trigger_id = $1", [id]);
    expect((await list(id)).listeningUntil).toBe(null);
    expect((await deliver(webhookUrl, "{}")).status).toBe(409);
  });

  it("shows one of several that come at the same moment", async () => {
    const { id, webhookUrl } = await webhook();
    await listen(id);
    await Promise.all(Array.from({ length: 10 }, () => deliver(webhookUrl, "{}")));
    const all = await listed(id, 10);
    expect(all.filter(({ listened }) => listened)).toHaveLength(1);
  });

  it("tells everybody who follows the organization at once", async () => {
    const { id, webhookUrl } = await webhook({ active: false });
    const stream = await followEvents(hooks.app.platformUrl, hooks.owner.browser, hooks.owner.organizationId);
    try {
      await listen(id);
      await deliver(webhookUrl, '{"order":5}');
      const told = () =>
        stream.events.filter(
          ({ name, data }) => name === "webhook-delivery" && "triggerId" in data && data.triggerId === id,
        );
      await expect.poll(told).toHaveLength(1);
      expect(told()[0]?.data).toMatchObject({ listened: true, preview: '{"order":5}' });
    } finally {
      stream.kill();
    }
  });

  it("keeps a large event whole; of others a part is enough", async () => {
    const { id, webhookUrl } = await webhook({ active: false });
    await listen(id);
    const large = "x".repeat(900_000);
    await deliver(webhookUrl, JSON.stringify({ large }));
    const [whole] = await listed(id, 1);
    const kept = await read(id, whole?.id);
    expect([kept.truncated, kept.data.payload.large.length]).toEqual([false, 900_000]);
    await deliver(webhookUrl, JSON.stringify({ large }));
    const [part] = await listed(id, 2);
    const cut = await read(id, part?.id);
    expect([cut.truncated, cut.data.payload.originalBytes]).toEqual([true, 900_012]);
  });

  it("is for those who may build; others see what arrived", async () => {
    const { id } = await webhook();
    const vera = await signUpMember(hooks.app, hooks.owner.organizationId, `vera-${id}`, "viewer");
    expectProblem(await vera.browser.post(`${hooks.path}/${id}/listen`, undefined), {
      status: 403,
      code: "role_required",
    });
    expect((await vera.browser.get(`${hooks.path}/${id}/deliveries`)).status).toBe(200);
  });
});

describe("the address of a webhook", () => {
  const address = async (triggerId: string) =>
    (await hooks.owner.browser.get(`${hooks.path}/${triggerId}/address`)).body;

  it("stays visible while deliveries are signed, and its secret does not", async () => {
    const { id, webhookUrl, signingSecret } = await webhook({ signature: "standard" });
    expect(await address(id)).toEqual({ webhookUrl });
    const renewed = (await hooks.owner.browser.post(`${hooks.path}/${id}/regenerate-token`, undefined)).body;
    expect(renewed.webhookUrl).not.toBe(webhookUrl);
    expect(await address(id)).toEqual({ webhookUrl: renewed.webhookUrl });
    const { text } = await hooks.owner.browser.get(`${hooks.path}/${id}`);
    for (const hidden of [signingSecret, renewed.signingSecret, webhookUrl.split("/").at(-1)])
      expect(text).not.toContain(hidden);
    const rows = await hooks.app.database.query("SELECT encode(sealed, 'escape') AS text FROM webhook_address");
    expect(JSON.stringify(rows)).not.toContain(renewed.webhookUrl.split("/").at(-1));
  });

  it("of a provider that signs stays visible too", async () => {
    const made = await hooks.ofProvider("github", { kind: "bearer", accessToken: "x", webhookSecret: "s" });
    expect(await address(made.id)).toEqual({ webhookUrl: made.webhookUrl });
  });

  it("is shown once where it is all that a sender needs, and never to who only reads", async () => {
    const { id } = await webhook({ signature: "none" });
    expect(await address(id)).toEqual({ webhookUrl: null });
    const vera = await signUpMember(hooks.app, hooks.owner.organizationId, `vera-${id}`, "viewer");
    expectProblem(await vera.browser.get(`${hooks.path}/${id}/address`), { status: 403, code: "role_required" });
  });
});
