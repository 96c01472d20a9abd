import { type IncomingMessage, request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { refusalStatus } from "../../src/base/refusal.ts";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { type Furnished, furnishOrganization } from "../support/furnish-organization.ts";
import { type FuzzOperation, type FuzzRequest, type Known, requestTo } from "../support/hostile-requests.ts";
import { reportRounds, roundsLimitMs, roundsOf, seed } from "../support/rounds.ts";
import { startTestApp } from "../support/test-app.ts";

type Described = {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
};
type Document = { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, object> } };
type Answer = { status: number; type: string; text: string };

const rounds = roundsOf(400, 6_000);
const answerLimitMs = 20_000;

let attacked: AttackedServer;
let document: Document;
let gatewayRoutes: FuzzOperation[];

beforeAll(async () => {
  // The port of nobody: what is sent out goes nowhere.
  attacked = await startAttackedServer({ OUTBOUND_ALLOWED_CIDRS: "127.0.0.1/32" });
  document = (await attacked.owner.get("/openapi.json")).body;
  const app = await startTestApp({ roles: ["gateway"] });
  gatewayRoutes = app.routes
    .flat()
    .flatMap(({ method, url }) =>
      [method].flat().map((name) => ({
        method: name,
        path: url.replaceAll(/:(\w+)/g, "{$1}").replace(/^\*$/, "/"),
        query: [],
        body: bodyOfGateway(url),
      })),
    )
    .filter(({ method, path }) => !isLeftOut(`${method} ${path}`));
  await app.stop();
});
afterAll(() => attacked?.stop());

/** What would end the fuzzing: the session, the organization, the own account; and the figures that it is judged by. */
const isLeftOut = (name: string) =>
  /^(POST .*sign-out|DELETE .*\/sessions|DELETE [^{]*\{organizationId\}$|DELETE .*members|POST .*setup|(GET|HEAD) \/metrics)/.test(
    name,
  );

const platformOperations = (): FuzzOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const body = requestBody?.content["application/json"]?.schema;
      const operation = {
        method: method.toUpperCase(),
        path,
        query: parameters.filter((one) => one.in === "query"),
        body,
      };
      return isLeftOut(`${operation.method} ${path}`) ? [] : [operation];
    }),
  );

const text = { type: "string" };
const rpc = {
  type: "object",
  properties: {
    jsonrpc: { const: "2.0" },
    id: { type: "integer" },
    method: { enum: ["tools/call", "tools/list", "initialize", "ping", "server/discover", "nothing"] },
    params: {
      type: "object",
      properties: { name: text, arguments: {}, _meta: {}, cursor: text, protocolVersion: text },
    },
  },
  required: ["jsonrpc", "id", "method", "params"],
};
const registration = {
  type: "object",
  properties: {
    redirect_uris: { type: "array", items: { type: "string", format: "uri" } },
    client_name: text,
    client_uri: text,
    logo_uri: text,
    scope: text,
    token_endpoint_auth_method: text,
    jwks: {},
    contacts: {},
    grant_types: { type: "array", items: text },
    response_types: { type: "array", items: text },
    software_statement: text,
  },
};
const bodyOfGateway = (url: string) =>
  url.endsWith("/mcp") ? rpc : url.endsWith("/register") ? registration : undefined;

function send(
  base: string,
  { method, path, headers, body }: FuzzRequest,
  own: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(base + path, {
      method,
      headers: { ...own, ...headers },
      timeout: answerLimitMs,
      agent: false,
    });
    sent.on("response", (response: IncomingMessage) => {
      const type = response.headers["content-type"] ?? "";
      const chunks: Buffer[] = [];
      const done = () => resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() });
      if (type.startsWith("text/event-stream") && method === "GET") {
        sent.destroy();
        return done();
      }
      response
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", done)
        .on("error", done);
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer")));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // Who sends more than is taken is refused before everything has arrived, and may not hear it any more.
      const isCutOff = ["ECONNRESET", "EPIPE"].includes(error.code ?? "") && path.length + (body?.length ?? 0) > 15_000;
      if (isCutOff) resolve({ status: 413, type: "", text: "" });
      else reject(new Error(`${method} ${path.slice(0, 300)}: ${error.message}`));
    });
    sent.end(body);
  });
}

function expectSound({ status, type, text: body }: Answer, place: string): void {
  const { code } =
    /json/.test(type) && status >= 400 && body !== "" ? ((JSON.parse(body) ?? {}) as { code?: string }) : {};
  expect(status, `${place} → ${body.slice(0, 300)}`).not.toBe(500);
  if (status > 500) expect(refusalStatus, place).toHaveProperty([String(code)], status);
  expect(body.slice(0, 2000), place).not.toMatch(/node_modules|\n\s+at .*\(|SELECT .* FROM|syntax error at/);
}

const knownOf = ({ others, ...ids }: Furnished): Known => {
  const { canvas, reference } = others;
  return {
    ...ids,
    canvas,
    credentials: { github: reference },
    type: "github",
    kind: "webhook",
    signature: "none",
    cron: "*/5 * * * *",
    timeZone: "UTC",
    toolName: "system_date_time",
    providerId: "github",
    apiKeyId: ids.keyId,
    expectedVersion: 1,
    name: "fuzz",
  };
};

/** An organization of its own now and then, because much of what an owner sends deletes something. */
async function furnish(tag: string): Promise<{ known: Known; key: string }> {
  const { owner: browser } = attacked;
  const organizationId: string = (await browser.post("/api/organizations", { name: tag })).body.id;
  const furnished = await furnishOrganization({ browser, organizationId }, { baseUrl: "https://127.0.0.1:9", tag });
  const scopes = ["workflows:trigger", "mcp:invoke"];
  const { body } = await browser.post(`/api/organizations/${organizationId}/api-keys`, { name: "fuzz", scopes });
  return { known: knownOf(furnished), key: body.key };
}

async function fuzz(operations: FuzzOperation[], base: string, own: Record<string, string>, others: Known = {}) {
  const perOrganization = 200;
  const seen: Record<number, number> = {};
  // Without the start of the server.
  await attacked.eventLoopLag();
  for (let round = 0; round < rounds; round += perOrganization) {
    const { known, key } = await furnish(`fuzz_${new URL(base).port}_${round}`);
    const all = fc
      .constantFrom(...operations)
      .chain((operation) => requestTo(operation, { ...known, ...others }, document.components.schemas as never));
    await fc.assert(
      fc.asyncProperty(all, async (given) => {
        const answer = await send(base, given, { ...own, "x-api-key": key });
        seen[answer.status] = (seen[answer.status] ?? 0) + 1;
        expectSound(
          answer,
          `${given.method} ${given.path.slice(0, 300)} ${String(given.body?.subarray(0, 500) ?? "")}`,
        );
      }),
      { numRuns: Math.min(perOrganization, rounds - round), seed: seed + round, endOnFailure: true },
    );
  }
  return seen;
}

async function expectUnshaken(seen: Record<number, number>): Promise<void> {
  const lag = await attacked.eventLoopLag();
  const { status } = await attacked.owner.get("/api/me");
  expect(status).toBe(200);
  // The promise is 100 ms; beside other tests a process also waits for its turn.
  expect(lag.p99Ms).toBeLessThan(roundsOf(1000, 100));
  expect(attacked.peakMegabytes()).toBeLessThan(600);
  reportRounds({ seed, seen, lag, peakMegabytes: Math.round(attacked.peakMegabytes()) });
}

const cookieOf = () => [...attacked.owner.cookies].map((pair) => pair.join("=")).join("; ");

it(
  "every operation of the platform takes whatever an owner sends",
  async () => {
    const own = { origin: attacked.server.platformUrl, cookie: cookieOf() };
    const seen = await fuzz(platformOperations(), attacked.server.platformUrl, own);
    expect(seen[200] ?? 0).toBeGreaterThan(rounds / 20);
    await expectUnshaken(seen);
  },
  roundsLimitMs,
);

it(
  "every route of the gateway takes whatever a client sends",
  async () => {
    const own = { accept: "application/json, text/event-stream" };
    const seen = await fuzz(gatewayRoutes, attacked.server.gatewayUrl, own, {
      name: "system_transform_json",
      serverId: "github",
    });
    expect(seen[200] ?? 0).toBeGreaterThan(rounds / 20);
    await expectUnshaken(seen);
  },
  roundsLimitMs,
);
