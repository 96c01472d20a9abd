import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowser } from "../support/browser-client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { signGithub } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

type Hook = { id: number; events: string[]; config: { url: string; secret: string } };

let hooks: WebhookApp;
let second: TestApp;
let github: Server;
let present: Hook[] = [];
let made = 0;
/** How long GitHub takes to make or change each of the next hooks. */
let slowness: number[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, value?: unknown) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(value === undefined ? "" : JSON.stringify(value));
  if (request.method === "GET") return send(200, present);
  if (request.method === "DELETE") {
    present = present.filter(({ id }) => !request.url?.endsWith(`/${id}`));
    return send(204);
  }
  const told = (await json(request)) as Omit<Hook, "id">;
  await delay(slowness.shift() ?? 0);
  if (request.method === "PATCH") {
    present = present.map((hook) => (request.url?.endsWith(`/${hook.id}`) ? { ...told, id: hook.id } : hook));
    return send(200, told);
  }
  const hook = { id: ++made, ...told };
  present.push(hook);
  send(201, hook);
}

beforeAll(async () => {
  github = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => github.listen(0, "127.0.0.1", resolve));
  hooks = await startWebhookApp();
  second = await startTestApp({
    database: hooks.app.database,
    roles: ["platform"],
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", PLATFORM_API_BASE_URL: hooks.app.platformUrl },
  });
});
afterAll(async () => {
  await second?.stop();
  await hooks?.stop();
  github?.closeAllConnections();
  await new Promise((resolve) => github.close(resolve));
});
beforeEach(() => {
  present = [];
  slowness = [];
});

async function setUp() {
  const baseUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  const data = { kind: "bearer", accessToken: "t", baseUrl };
  const { id } = await hooks.ofProvider("github", data, { register: true, places: ["acme/shop"] });
  return { id, path: `${hooks.path}/${id}` };
}

/** Of the other process. */
function sendElsewhere(method: string, path: string, body?: unknown) {
  const browser = createBrowser(`http://127.0.0.1:${second.config.platform.port}`);
  for (const [name, value] of hooks.owner.browser.cookies) browser.cookies.set(name, value);
  return browser.send(method, path, body, { origin: hooks.app.platformUrl });
}

const issue = JSON.stringify({
  action: "opened",
  repository: { full_name: "acme/shop" },
  sender: { id: 5, type: "User" },
});

describe("changes of a webhook that is set up at its provider", () => {
  it("take turns over all processes, so that the provider has what is stored", async () => {
    const { id, path } = await setUp();
    slowness = [600];
    const first = hooks.owner.browser.patch(path, { events: ["push"] });
    await delay(100);
    const answers = await Promise.all([
      first,
      sendElsewhere("PATCH", path, { events: ["issues"] }),
      sendElsewhere("POST", `${path}/regenerate-token`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(present).toMatchObject([{ events: ["issues"] }]);
    expect(await hooks.read(id)).toMatchObject({ events: ["issues"], lastError: null });
    const { url, secret } = present[0]?.config ?? { url: "", secret: "" };
    expect((await deliver(url, issue, signGithub(secret, issue, "d1"))).status).toBe(202);
  });

  it.each(["trigger", "workflow"] as const)(
    "are over before its %s is deleted, which leaves nothing behind there",
    async (what) => {
      const { id, path } = await setUp();
      slowness = [600];
      const change = hooks.owner.browser.patch(path, { events: ["push"] });
      await delay(100);
      const deleted = await sendElsewhere(
        "DELETE",
        what === "trigger" ? path : `${hooks.flows.path}/workflows/${hooks.workflowId}`,
      );
      expect(deleted.status).toBe(204);
      await change;
      expect(present).toEqual([]);
      expect((await hooks.owner.browser.get(`${hooks.path}/${id}`)).status).toBe(404);
    },
  );
});
