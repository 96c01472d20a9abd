import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createBrowser } from "./browser-client.ts";
import { freePort } from "./free-port.ts";
import { createMcpClient } from "./gateway/mcp-client.ts";
import { password } from "./people.ts";
import { killAll, listTree } from "./processes.ts";

type Product = {
  /** The program and its words, up to `serve`. */
  command: [string, ...string[]];
  folder: string;
  environment: Record<string, string>;
  limitMs: number;
};

/** Starts the product as somebody would who installed it, and waits until it says that it is ready. */
export async function startProduct({ command: [program, ...words], folder, environment, limitMs }: Product) {
  const [platform, gateway] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH ?? "",
    PLATFORM_API_PORT: String(platform),
    MCP_API_PORT: String(gateway),
    ...environment,
  };
  const begun = performance.now();
  const child = spawn(program, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const stop = async () => {
    child.kill("SIGTERM");
    const isOut = await Promise.race([ended.then(() => true), delay(60_000, false, { ref: false })]);
    if (!isOut) await killAll(listTree(child.pid ?? 0));
  };
  while (!output.includes("Switchyard is ready")) {
    if (child.exitCode !== null || performance.now() - begun > limitMs) {
      await killAll(listTree(child.pid ?? 0));
      throw new Error(`The product did not start:\n${output}`);
    }
    await delay(50);
  }
  return {
    platformUrl: `http://localhost:${platform}`,
    gatewayUrl: `http://localhost:${gateway}`,
    output: () => output,
    stop,
  };
}

/** Not one of those that the server interprets itself: it needs the process that is started from a file. */
export const uncommonExpression = "$map(a, function($n){ $n + 1 })";

type Doors = Pick<Awaited<ReturnType<typeof startProduct>>, "platformUrl" | "gatewayUrl">;

/** What everybody does first: an account, a look at the pages, a key, a call of a tool. Gives what can call further tools. */
export async function goThroughFirstHour({ platformUrl, gatewayUrl }: Doors, { tries = 1 } = {}) {
  const browser = createBrowser(platformUrl);
  const first = { email: "ann@example.com", password, organizationName: "Ann's team" };
  const ask = createAsk(tries);
  const { status, body } = await ask(() => browser.post("/api/setup", first));
  // A try that was answered too late may have made the account, and says so to the next one.
  const isMadeAlready = tries > 1 && status === 409 && body.code === "setup_done";
  if (isMadeAlready)
    expect((await ask(() => browser.post("/api/sign-in", { email: first.email, password }))).status).toBe(200);
  else expect(status, JSON.stringify(body)).toBe(201);
  const page = await browser.send("GET", "/", undefined, { accept: "text/html" });
  expect([page.status, page.text.includes('<div id="root">')]).toEqual([200, true]);
  expect((await browser.get("/docs/static/swagger-ui.css")).status).toBe(200);
  const me = await ask(() => browser.get("/api/me"));
  const organizationId: string = me.body.organizations[0].id;
  const wanted = { name: "first", scopes: ["mcp:invoke"] };
  const key = await ask(() => browser.post(`/api/organizations/${organizationId}/api-keys`, wanted));
  const client = createMcpClient(gatewayUrl, { "x-api-key": key.body.key });
  const call = async (name: string, input: object) => {
    const { json } = await ask(() => client.modern("system", "tools/call", { name, arguments: input }));
    expect(json.result?.isError, JSON.stringify(json)).toBeFalsy();
    return json.result?.structuredContent?.items as unknown[];
  };
  const [time] = await call("system_date_time", { date: "2026-01-31T12:00:00Z", add: { months: 1 } });
  expect(time).toMatchObject({ iso: "2026-02-28T12:00:00.000Z", weekday: "Saturday" });
  return { call };
}

/** Asks so often at most as long as the answer is that something is away right now. */
const createAsk =
  (tries: number) =>
  async <Answer extends { status: number }>(question: () => Promise<Answer>): Promise<Answer> => {
    for (let left = tries; ; left--) {
      const answer = await question();
      if (answer.status !== 503 || left <= 1) return answer;
      await delay(2_000);
    }
  };
