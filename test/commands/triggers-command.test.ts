import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

const unknownId = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";

let hooks: WebhookApp;
let provider: FakeProvider;
let dataDir: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  hooks = await startWebhookApp();
  dataDir = mkdtempSync(join(tmpdir(), "switchyard-cli-"));
});
afterAll(async () => {
  await hooks?.stop();
  await provider?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (words: string[], input?: string) =>
  runSwitchyard(
    ["triggers", ...words, "--organization", hooks.owner.organizationId],
    {
      SWITCHYARD_DATA_DIR: dataDir,
      DATABASE_URL: hooks.app.database.url,
      SWITCHYARD_MASTER_KEY: (hooks.app.config.masterKey as Buffer).toString("base64"),
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
      PLATFORM_API_BASE_URL: hooks.app.platformUrl,
    },
    input,
  );

/** What a command that succeeds prints: JSON, and nothing else anywhere. */
async function answer(words: string[], input?: string) {
  const { code, stdout, stderr } = await run(words, input);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** The one line of a command that fails. */
async function complaint(words: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(words, input);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^triggers: [^\n]+\n$/);
  return stderr.slice("triggers: ".length).trim();
}

const create = (fields: object) =>
  answer(["create", "--data", "-"], JSON.stringify({ workflowId: hooks.workflowId, ...fields }));

describe("triggers on the command line", () => {
  it("are created, listed, read, changed, tried and deleted", async () => {
    const made = await create({ kind: "schedule", name: "Mornings", cron: "0 9 * * *", timeZone: "Europe/Berlin" });
    expect(made).toMatchObject({ kind: "schedule", name: "Mornings", active: true, webhookUrl: null });
    expect(made.nextFireTimes).toHaveLength(5);
    expect(await hooks.read(made.id)).toMatchObject({ name: "Mornings", workflowId: hooks.workflowId });
    const one = ["--id", made.id];

    const file = join(dataDir, "change.json");
    writeFileSync(file, JSON.stringify({ name: "Evenings", cron: "0 18 * * *", active: false }));
    expect(await answer(["update", ...one, "--data-file", file])).toMatchObject({
      name: "Evenings",
      active: false,
      nextFireTimes: [],
    });
    expect(await answer(["get", ...one])).toMatchObject({ id: made.id, cron: "0 18 * * *" });
    expect((await answer(["list", "--workflow", hooks.workflowId])).map(({ id }: { id: string }) => id)).toEqual([
      made.id,
    ]);
    expect(await answer(["list", "--workflow", unknownId])).toEqual([]);
    expect(await answer(["list", "--failing"])).toEqual([]);

    const started = await answer(["test", ...one, "--data", "-"], '{"payload":{"from":"me"},"prompt":"Now"}');
    expect(started).toMatchObject({ status: "pending", workflowId: hooks.workflowId });
    expect((await hooks.flows.ended(started.id)).status).toBe("succeeded");
    expect(await hooks.startedBy(made.id)).toMatchObject([
      { source: "schedule", payload: { from: "me" }, prompt: "Now" },
    ]);

    expect(await answer(["delete", ...one])).toEqual({ id: made.id, deleted: true });
    expect(await complaint(["get", ...one])).toBe("There is no such trigger.");
  }, 120_000);

  it("show the address of a webhook once, and tell its provider", async () => {
    const made = await create({ kind: "webhook", name: "Hook", signature: "none" });
    expect((await deliver(made.webhookUrl, "{}")).status).toBe(202);
    expect(JSON.stringify(await answer(["get", "--id", made.id]))).not.toContain(made.webhookUrl.split("/").at(-1));

    const credentialId = await hooks.connect("stripe", { secretKey: "canary-token", baseUrl: provider.url });
    provider.script([{ json: { id: "we_1", object: "webhook_endpoint", secret: "whsec_of_stripe" } }]);
    const stripe = await create({ kind: "webhook", name: "Stripe", provider: "stripe", credentialId, register: true });
    expect(stripe).toMatchObject({ isRegistered: true, webhookUrl: null, signingSecret: null });
    provider.script([{ status: 401, json: { error: { message: "No such key canary-token" } } }]);
    const deleted = await answer(["delete", "--id", stripe.id]);
    expect(deleted).toMatchObject({
      id: stripe.id,
      deleted: true,
      notRemoved: expect.stringMatching(/^Stripe may still have/),
    });
    expect(JSON.stringify(deleted)).not.toContain("canary");
  }, 120_000);

  it("let a poll look now, which the server does", async () => {
    const feed =
      '<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>One</title></item></channel></rss>';
    provider.script([{ body: feed, headers: { "content-type": "application/rss+xml" } }]);
    const poll = { event: "new_feed_entry", parameters: { url: `${provider.url}/feed` } };
    const made = await create({ kind: "poll", name: "News", provider: "http", active: false, poll });
    expect(await complaint(["poll", "--id", made.id])).toBe("This trigger is turned off.");
    await answer(["update", "--id", made.id, "--data", '{"active":true}']);
    expect(await answer(["poll", "--id", made.id])).toMatchObject({ id: made.id, kind: "poll", active: true });
  }, 120_000);

  it("are refused in one line that names the field and repeats nothing of the data", async () => {
    expect(await complaint(["create", "--data", "-"], '{"kind":"schedule","name":"canary"}')).toBe(
      "--data: workflowId is required",
    );
    const faults: [object, string][] = [
      [{ kind: "schedule", name: "canary", cron: "canary", timeZone: "Europe/Berlin" }, "cron"],
      [{ kind: "webhook", name: "canary", provider: "github" }, "credentialId"],
      [{ kind: "webhook", name: "canary", signature: "none", filter: "canary(" }, "filter"],
    ];
    for (const [fields, field] of faults) {
      const words = await complaint(
        ["create", "--data", "-"],
        JSON.stringify({ workflowId: hooks.workflowId, ...fields }),
      );
      expect(words).toMatch(new RegExp(`^--data: ${field} `));
      expect(words).not.toContain('canary"');
    }
    expect(await complaint(["create"])).toMatch(/^--data: /);
    expect(await complaint(["update", "--id", unknownId, "--data", "{}"])).toMatch(
      /^--data: .*needs something to change/,
    );
    expect(await complaint(["delete", "--id", unknownId])).toBe("There is no such trigger.");
    expect(await complaint(["poll", "--id", "one"])).toMatch(/^--id: /);
    expect(await complaint(["run"])).toBe("say one of: list, get, create, update, delete, test, poll");
  }, 120_000);
});
