import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { followEvents } from "../support/events/follow-events.ts";
import { freePort } from "../support/free-port.ts";
import { issueRequest, saidIn } from "../support/gateway/gateway-pair.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { password } from "../support/people.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { describeWithProgram, startNginx } from "../support/providers/real-servers.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const snippet = readFileSync("deploy/nginx-snippet.conf", "utf8");
const settings = readFileSync("deploy/nginx.conf", "utf8").replaceAll("include snippets/switchyard.conf;", snippet);

/** The example with ports of this machine: the doors without TLS, and the servers where they are. */
function adapt(doors: [number, number], servers: { platform: number[]; gateway: number[] }): string {
  let door = 0;
  let [platform, gateway] = [0, 0];
  return settings
    .replaceAll("listen 443 ssl;", () => `listen 127.0.0.1:${doors[door++]};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, "")
    .replaceAll(/server [\d.]+:3000/g, () => `server 127.0.0.1:${servers.platform[platform++]}`)
    .replaceAll(/server [\d.]+:3100/g, () => `server 127.0.0.1:${servers.gateway[gateway++]}`);
}

describeWithProgram("nginx", "two platforms and two gateways behind nginx, as in deploy/nginx.conf", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let provider: CountingProvider;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let ann: WorkflowApp;
  let second: TestApp;
  let reference: string;
  let invokeKey: string;

  beforeAll(async () => {
    const ports = { platform: [await freePort(), await freePort()], gateway: [await freePort(), await freePort()] };
    [database, provider] = await Promise.all([createTestDatabase(), startCountingProvider()]);
    nginx = await startNginx((doors) => adapt(doors, ports));
    const environmentOf = (index: number) => ({
      PLATFORM_API_PORT: String(ports.platform[index]),
      MCP_API_PORT: String(ports.gateway[index]),
      PLATFORM_API_BASE_URL: `http://127.0.0.1:${nginx?.port}`,
      MCP_API_BASE_URL: `http://127.0.0.1:${nginx?.tlsPort}`,
      LISTEN_HOST: "127.0.0.1",
      TRUSTED_PROXIES: "127.0.0.1/32",
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
      RATE_LIMIT_API_KEY_PER_MINUTE: "1000000",
    });
    second = await startTestApp({ database, environment: environmentOf(1) });
    ann = await startWorkflowApp({ database, environment: environmentOf(0) });
    const { apiKeys } = ann.app.parts.identity;
    invokeKey = (
      await apiKeys.create(ann.owner.organizationId, { name: "mcp", scopes: ["mcp:invoke"], createdBy: null })
    ).key;
    const data = { kind: "bearer", accessToken: "token", baseUrl: provider.url };
    const credential = { type: "github", name: "GitHub", data, createdBy: null };
    ({ reference } = await ann.app.parts.vault.credentials.create(ann.owner.organizationId, credential));
  });
  afterAll(async () => {
    await Promise.all([ann?.stop(), second?.stop()]);
    await nginx?.stop();
    await provider?.stop();
    await database?.drop();
  });

  const callTool = async (title: string) => {
    const { body, headers } = issueRequest(title, { reference, key: { key: invokeKey } as never });
    return await createMcpClient(ann.app.gatewayUrl, {}).post("github", body, headers);
  };

  it("a tool is called, a run is triggered and waited for, and the page hears of both while they happen", async () => {
    const stream = await followEvents(ann.app.platformUrl, ann.owner.browser, ann.owner.organizationId);
    const release = provider.hold();
    const called = callTool("through nginx");
    await expect.poll(() => stream.events.map(({ data }) => data.status), { timeout: 10_000 }).toContain("running");
    release();
    expect(saidIn(await called).title).toBe("through nginx");
    const run = await ann.run(await ann.save([node("one", "set_fields", { fields: { text: "ran" } })]));
    expect(run.result).toEqual([{ text: "ran" }]);
    await expect.poll(() => stream.events.map(({ data }) => data.id), { timeout: 10_000 }).toContain(run.id);
    stream.kill();
  });

  it("progress of a call arrives before the call has ended", async () => {
    const release = provider.hold();
    const { body, headers } = issueRequest(
      "slow",
      { reference, key: { key: invokeKey } as never },
      { progressToken: "mine" },
    );
    const sent = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const response = await fetch(`${ann.app.gatewayUrl}/github/mcp`, {
      method: "POST",
      headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
      body: JSON.stringify(body),
    });
    // The head of the stream is here although nobody has answered the call yet.
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    await provider.whenRunning(1, 10_000);
    release();
    expect(await response.text()).toContain("slow");
  });

  it("the caller's address is the one nginx saw, whatever the caller says", async () => {
    const body = JSON.stringify({ email: ann.owner.email, password });
    const headers = {
      "content-type": "application/json",
      origin: ann.app.platformUrl,
      "x-forwarded-for": "203.0.113.9",
    };
    const sent = request(`${ann.app.platformUrl}/api/sign-in`, {
      method: "POST",
      headers,
      localAddress: "127.0.0.2",
      agent: false,
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    const addresses = await database.query<{ ip: string }>(
      "SELECT ip_address AS ip FROM session ORDER BY created_at DESC LIMIT 1",
    );
    expect(addresses).toEqual([{ ip: "127.0.0.2" }]);
  });

  it("a request of 10 MiB reaches the server, and a larger one does not", async () => {
    const send = async (bytes: number) => {
      const body = JSON.stringify({ runtimePrompt: "x".repeat(bytes - JSON.stringify({ runtimePrompt: "" }).length) });
      const headers = { "x-api-key": ann.key, "content-type": "application/json" };
      const response = await fetch(`${ann.app.platformUrl}/task-runner/trigger/none`, {
        method: "POST",
        headers,
        body,
      });
      await response.text();
      return [response.status, response.headers.has("x-request-id")];
    };
    expect(await send(10 * 1024 * 1024)).toEqual([400, true]);
    expect(await send(10 * 1024 * 1024 + 1)).toEqual([413, false]);
  });

  it("no call and no trigger fails when one of the servers is gone", async () => {
    const workflowId = await ann.save([node("one", "set_fields", { fields: { text: "ran" } })]);
    await second.stop();
    for (let round = 0; round < 6; round++) {
      const answers = [await callTool(`alone ${round}`), await ann.trigger(workflowId)];
      expect(answers.map(({ status }) => status)).toEqual([200, 202]);
    }
  });
});
