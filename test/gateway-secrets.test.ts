import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GatewayPair, startGatewayPair, type Team } from "./support/gateway-pair.ts";
import { createMcpClient } from "./support/mcp-client.ts";

let pair: GatewayPair;
let own: Team;
let foreign: Team;
let captured: string[];
let hostileRequests = 0;

/** A text in every form a careless program could write it down in. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const percent = encodeURIComponent(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    ...[0, 1, 2].map((offset) => Buffer.concat([Buffer.alloc(offset, "x"), bytes]).toString("base64")),
    bytes.toString("base64url"),
    encodeURIComponent(bytes.toString("base64")),
    hex,
    hex.toUpperCase(),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    hex.toUpperCase().replaceAll(/../g, "%$&"),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  ];
}

/** The same without the edges, which in base64 depend on what stands beside it. */
const tracesOf = (value: string): string[] => formsOf(value).map((form) => form.slice(4, -4));

const tracesIn = (found: string, secrets: string[]): string[] => [
  ...secrets.flatMap(tracesOf).filter((trace) => found.includes(trace)),
  ...(found.match(/CANARY.{0,40}/) ?? []),
];

/** Says everything it was asked, in the body, in headers and as an error; the path says how. */
const hostile = createServer((request, response) => void echo(request, response));

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  hostileRequests += 1;
  const said = [decodeURIComponent(request.url ?? ""), ...request.rawHeaders, await text(request)].filter((part) =>
    part.includes("CANARY"),
  );
  const heard = [request.url ?? "", ...said.flatMap(formsOf)];
  const authorization = request.headers.authorization?.split(" ") ?? [];
  const decoded = authorization[0] === "Basic" ? Buffer.from(authorization[1] ?? "", "base64").toString() : "";
  const all = [...heard, ...authorization.flatMap(formsOf), ...formsOf(decoded)];
  const upTo = (length: number) => all.filter((_, index) => all.slice(0, index + 1).join(" ; ").length < length).join(" ; ");
  const plain = all.join(" ; ");
  const [, status = "200"] = /status-(\d+)/.exec(request.url ?? "") ?? [];
  const cookie = `echo=${encodeURIComponent(authorization.join(" "))}`;
  const headers = { "x-echo": upTo(8_000), location: `/${upTo(2_000)}`, "set-cookie": cookie, "retry-after": "0" };
  response.writeHead(Number(status), { "content-type": "application/json", ...headers });
  if (request.url?.includes("cut-off")) return void response.write(`{"message":${JSON.stringify(plain)}`, () => response.destroy());
  if (request.url?.includes("no-json")) return void response.end(plain);
  const error = { message: plain, code: upTo(500), error: plain, detail: plain, errors: [{ message: plain, code: plain }] };
  response.end(JSON.stringify({ ...error, title: plain, number: 1, html_url: plain, [upTo(300)]: plain }));
}

const hostileUrl = () => `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;

beforeAll(async () => {
  await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
  pair = await startGatewayPair({ environment: { LOG_LEVEL: "debug", MCP_MAX_EXECUTION_TIME: "3s" } });
  [own, foreign] = [await pair.createTeam("own"), await pair.createTeam("foreign")];
});
afterAll(async () => {
  await pair?.stop();
  hostile.closeAllConnections();
  await new Promise((resolve) => hostile.close(resolve));
});
beforeEach(() => {
  captured = [];
  hostileRequests = 0;
  pair.provider.forget();
});

async function createCredential(type: string, data: Record<string, unknown>, { organizationId }: Team = own) {
  const wish = { type, name: type, data, createdBy: null };
  return (await pair.parts.vault.credentials.create(organizationId, wish)).reference;
}

async function call(name: string, given: object, gateway = pair.gateways[0]) {
  const client = createMcpClient(gateway?.gatewayUrl ?? "", { "x-api-key": own.key.key });
  const answer = await client.modern(name.split("_")[0] ?? "", "tools/call", { name, arguments: given });
  captured.push(answer.text, JSON.stringify([...answer.headers]));
  return answer;
}

/** Every table as text, bytes included. */
async function dumpDatabase(): Promise<string> {
  const tables = await pair.database.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const rows = await Promise.all(tables.map(({ name }) => pair.database.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`)));
  return rows.flatMap((table) => table.map(({ row }) => row)).join("\n");
}

const readMetrics = async () =>
  (await Promise.all(pair.gateways.map(({ gatewayUrl }) => fetch(`${gatewayUrl}/metrics`).then((r) => r.text())))).join("\n");

describe("a secret that a hostile provider sends back", () => {
  it("is in no answer, record, log line, metric or command line, in no form", async () => {
    // The end makes base64 use + and / wherever it stands.
    const canary = (name: string) => `CANARY&${name}<${randomBytes(12).toString("base64")}>>>>????~~~~`;
    const secrets = { bearer: canary("bearer"), password: canary("password"), header: canary("header"), query: canary("query") };
    const references = {
      github: await createCredential("github", { kind: "bearer", accessToken: secrets.bearer, baseUrl: hostileUrl() }),
      basic: await createCredential("http_auth", {
        authKind: "basic",
        username: "somebody",
        secret: secrets.password,
        baseUrl: hostileUrl(),
      }),
      header: await createCredential("http_auth", { authKind: "header", name: "X-Secret", secret: secrets.header, baseUrl: hostileUrl() }),
      query: await createCredential("http_auth", { authKind: "query", name: "key", secret: secrets.query, baseUrl: hostileUrl() }),
    };
    const issue = (owner: string) => ({ owner, repo: "site", title: "echo", credentials: { github: references.github } });
    const paths = ["status-200", "status-201", "status-301", "status-400", "status-401", "status-403", "status-422", "status-500"];
    for (const path of [...paths, "cut-off-status-200", "no-json-status-200", "no-json-status-404"]) {
      await call("github_create_issue", issue(path), pair.gateways[1]);
      const request = { method: "POST", url: `${hostileUrl()}/${path}`, body: { a: 1 } };
      for (const reference of [references.basic, references.header, references.query])
        await call("http_request", { ...request, credentials: { http_auth: reference } });
    }
    // What people paste where a reference belongs.
    await call("github_create_issue", { ...issue("x"), credentials: { github: secrets.bearer } });
    expect(hostileRequests).toBeGreaterThan(30);
    const answers = captured.join("\n");
    expect(answers.match(/\[secret\]/g)?.length).toBeGreaterThan(100);

    const commandLines = pair.gateways.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    const logs = pair.gateways.map(({ output }) => output.stdout + output.stderr);
    const places = {
      answers,
      database: await dumpDatabase(),
      logs: logs.join("\n"),
      metrics: await readMetrics(),
      commandLines: commandLines.join(),
    };
    expect(places.logs).toContain("answered");
    expect(places.database).toContain("[secret]");
    const master = Buffer.alloc(32, "master");
    const kept = [...Object.values(secrets), own.key.key, own.key.key.slice(4), master.toString("base64"), `token-of-${foreign.name}`];
    expect(Object.entries(places).flatMap(([place, found]) => tracesIn(found, kept).map((trace) => `${trace} in ${place}`))).toEqual([]);
  });
});

describe("an id of another organization", () => {
  const withoutIds = (answer: string) => answer.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>");
  const foreignRows = () =>
    Promise.all(
      ["credential", "api_key", "tool_call"].map((table) =>
        pair.database.query(`SELECT t::text FROM ${table} t WHERE organization_id = $1 ORDER BY 1`, [foreign.organizationId]),
      ),
    );
  const corrupt = (reference: string) =>
    pair.database.query("UPDATE credential SET sealed = decode('00', 'hex') || sealed WHERE id = $1", [reference.split(":").at(-1)]);

  it("is answered as one that does not exist, whatever it names and in whatever state, and nothing is decrypted or asked", async () => {
    const data = { kind: "bearer", accessToken: "token-of-nobody", baseUrl: pair.provider.url };
    const fine = await createCredential("github", data, foreign);
    const unreadable = await createCredential("github", data, foreign);
    const otherType = await createCredential("http_auth", { authKind: "basic", username: "a", secret: "b" }, foreign);
    const gone = await createCredential("github", data);
    await corrupt(unreadable);
    await pair.parts.vault.credentials.remove({ organizationId: own.organizationId, credentialId: gone.split(":").at(-1) ?? "" });
    const unknown = `credential:organization:${randomUUID()}`;
    const before = await foreignRows();
    const references = { fine, unreadable, otherType, gone, unknown };
    const answers: Record<string, { status: number; text: string }> = {};
    const timesMs: Record<string, number[]> = {};
    for (let round = 0; round < 25; round++)
      for (const [name, github] of Object.entries(references)) {
        const startedAt = performance.now();
        const { status, text: said } = await call("github_create_issue", { owner: "a", repo: "b", title: "c", credentials: { github } });
        timesMs[name] = [...(timesMs[name] ?? []), performance.now() - startedAt];
        answers[name] = { status, text: withoutIds(said) };
      }
    expect(answers.unknown?.text).toContain("credential_not_accessible");
    for (const answer of Object.values(answers)) expect(answer).toEqual(answers.unknown);
    const medians = Object.values(timesMs).map((times) => times.sort((one, other) => one - other)[12] ?? 0);
    expect(Math.max(...medians) - Math.min(...medians)).toBeLessThan(5);
    expect(pair.provider.requests).toEqual([]);
    expect(await foreignRows()).toEqual(before);
  });

  it("and one of the own organization but of the wrong type is refused before it is decrypted", async () => {
    const data = { authKind: "basic", username: "a", secret: "b" };
    const [fine, unreadable] = [await createCredential("http_auth", data), await createCredential("http_auth", data)];
    await corrupt(unreadable);
    const ask = async (github: string) =>
      withoutIds((await call("github_create_issue", { owner: "a", repo: "b", title: "c", credentials: { github } })).text);
    expect(await ask(fine)).toContain("credential_type_mismatch");
    expect(await ask(unreadable)).toBe(await ask(fine));
    // The damage is real: of the right type it is found when it is opened.
    const broken = await createCredential("github", { kind: "bearer", accessToken: "token", baseUrl: pair.provider.url });
    await corrupt(broken);
    expect(await ask(broken)).toContain("credential_unreadable");
    expect(pair.provider.requests).toEqual([]);
  });

  it("of a record says nothing to a key: the gateway has no way to read the history", async () => {
    const { organizationId } = foreign;
    for (const path of [`/api/organizations/${organizationId}/tool-calls`, `/api/organizations/${organizationId}/events`]) {
      const response = await fetch(`${pair.gateways[0]?.gatewayUrl}${path}`, { headers: { "x-api-key": own.key.key } });
      expect(response.status).toBe(404);
    }
  });
});
