import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { signUpOwner } from "../support/people.ts";
import { startHostileProvider } from "../support/providers/hostile-provider.ts";
import { node } from "../support/runs/workflow-app.ts";
import { tracesIn } from "../support/secret-traces.ts";
import { createDataDir, spawnSwitchyard } from "../support/spawned-server.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";
import { fillInCredential } from "../support/vault/fill-in-credential.ts";
import { invariant } from "./invariant.ts";
import { startYard, type Yard } from "./yard.ts";

let yard: Yard;
let hostile: Awaited<ReturnType<typeof startHostileProvider>>;
let person: Awaited<ReturnType<typeof signUpOwner>>;
let key: string;

beforeAll(async () => {
  hostile = await startHostileProvider();
  const environment = { LOG_LEVEL: "debug", MCP_MAX_EXECUTION_TIME: "3s", OTEL_EXPORTER_OTLP_ENDPOINT: hostile.url };
  yard = await startYard({ environment: { ...environment, RATE_LIMIT_SIGN_IN_PER_MINUTE: "100000" } });
  person = await signUpOwner({ parts: yard.parts, browser: platformAt(0).browser }, "Ann");
  ({ key } = await yard.createKey(person.organizationId));
}, 90_000);
afterAll(async () => {
  await yard?.stop();
  await hostile?.stop();
});

const platformAt = (index: number) => yard.of("platform")[index] as ReturnType<Yard["of"]>[number];
const inOrganization = (route: string) => `/api/organizations/${person.organizationId}${route}`;

invariant("V14", {
  promise: "no byte of a secret is in an answer, record, log line, metric, trace, command line or row, in no encoding",
  rounds: { quick: 1, full: 5 },
  planted: "a secret is written into a row in base64",
  async check({ rounds, isPlanted }) {
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      // The same in every secret of a round; its end makes base64 use + and / wherever it stands.
      const mark = `<${randomBytes(18).toString("base64")}>>>>????~~~~`;
      const said = [
        await tryEveryType(mark),
        await callTools(mark),
        await runWorkflow(mark),
        await readEverything(),
      ].join("\n");
      if (isPlanted)
        await yard.query(`UPDATE credential SET last_error = encode('${mark}', 'base64') WHERE type = 'github'`);
      const places = { answers: said, ...(await readPlaces()) };
      const secrets = [mark, ...(await listOwnSecrets())];
      violations.push(
        ...Object.entries(places).flatMap(([place, text]) =>
          tracesIn(text, secrets).map((trace) => `${trace} in ${place}`),
        ),
      );
      if ((said.match(/\[secret\]/g)?.length ?? 0) < 100) violations.push("nobody tried to say a secret");
      if (!places.logs.includes("answered") || !places.database.includes("[secret]"))
        violations.push("not everything was read");
    }
    return violations;
  },
});

type Answer = { status: number; text: string; headers: Headers };
const heard = ({ text, headers }: Answer): string => text + JSON.stringify([...headers]);

/** Every kind of credential there is, made, tested and shown. */
async function tryEveryType(mark: string): Promise<string> {
  const { credentialTypes } = createCatalog(await loadProviders());
  const variants = [...credentialTypes.values()].flatMap(({ definition }) =>
    definition.variants.map((variant) => ({ definition, variant })),
  );
  const said = await Promise.all(
    variants.map(async ({ definition, variant }, index) => {
      const data = fillInCredential(definition, variant, { url: `${hostile.url}/status-400`, mark });
      const browser = browserAt(index % 2);
      const made = await browser.post(inOrganization("/credentials"), {
        type: definition.type,
        name: definition.type,
        data,
      });
      if (made.status !== 201) throw new Error(`${definition.type} ${variant.kind} was answered ${made.text}`);
      const place = inOrganization(`/credentials/${made.body.id}`);
      return [made, await browser.post(`${place}/test`), await browser.get(place)].map(heard).join("\n");
    }),
  );
  return said.join("\n");
}

function browserAt(index: number) {
  const browser = platformAt(index).browser();
  for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value);
  return browser;
}

async function createCredential(type: string, data: Record<string, unknown>): Promise<string> {
  const asked = { type, name: type, data: { ...data, baseUrl: hostile.url }, createdBy: null };
  return (await yard.parts.vault.credentials.create(person.organizationId, asked)).reference;
}

const paths = [
  ...["status-200", "status-201", "status-301", "status-400", "status-401", "status-403", "status-422", "status-500"],
  ...["cut-off-status-200", "no-json-status-200", "no-json-status-404"],
];

async function callTools(mark: string): Promise<string> {
  const secret = `CANARY&${mark}`;
  const github = await createCredential("github", { kind: "bearer", accessToken: secret });
  const others = [
    await createCredential("http_auth", { authKind: "basic", username: "somebody", secret }),
    await createCredential("http_auth", { authKind: "header", name: "X-Secret", secret }),
    await createCredential("http_auth", { authKind: "query", name: "key", secret }),
  ];
  const answers: Answer[] = [];
  const call = async (name: string, given: object, index: number) => {
    const client = createMcpClient(yard.of("gateway")[index]?.gatewayUrl ?? "", { "x-api-key": key });
    answers.push(await client.modern(name.split("_")[0] ?? "", "tools/call", { name, arguments: given }));
  };
  for (const one of paths) {
    await call("github_create_issue", { owner: one, repo: "site", title: "echo", credentials: { github } }, 1);
    const request = { method: "POST", url: `${hostile.url}/${one}`, body: { a: 1 } };
    for (const reference of others)
      await call("http_request", { ...request, credentials: { http_auth: reference } }, 0);
  }
  // What people paste where a reference belongs.
  await call("github_create_issue", { owner: "x", repo: "y", title: "z", credentials: { github: secret } }, 0);
  return answers.map(heard).join("\n");
}

/** The same in a workflow, which a worker executes. */
async function runWorkflow(mark: string): Promise<string> {
  const reference = await createCredential("github", { kind: "bearer", accessToken: `CANARY&${mark}` });
  const settings = { continueOnError: true };
  const nodes = paths.map((one, index) =>
    node(
      `n${index}`,
      "github_create_issue",
      { owner: one, repo: "site", title: "echo" },
      { credentials: { github: reference }, settings },
    ),
  );
  const { id } = await yard.parts.workflows.create(
    person.organizationId,
    { name: "Echo", canvas: { nodes, edges: [] } },
    null,
  );
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const started = await fetch(`${platformAt(1).platformUrl}/task-runner/trigger/${id}`, {
    method: "POST",
    headers,
    body: "{}",
  });
  const run = (await started.json()) as { id: string };
  for (const untilMs = performance.now() + 60_000; performance.now() < untilMs; await delay(50)) {
    const answer = await browserAt(0).get(inOrganization(`/runs/${run.id}`));
    if (["succeeded", "failed"].includes(answer.body.status)) return heard(answer);
  }
  throw new Error("the run does not end");
}

/** What a person finds afterwards. */
async function readEverything(): Promise<string> {
  const lists = ["/tool-calls?limit=100", "/runs", "/credentials", "/usage", "/api-keys", "/triggers", "/workflows"];
  const answers = await Promise.all(lists.map((route) => browserAt(1).get(inOrganization(route))));
  const records = ((answers[0]?.body.data ?? []) as { id: string }[]).slice(0, 50);
  const details = await Promise.all(records.map(({ id }) => browserAt(0).get(inOrganization(`/tool-calls/${id}`))));
  return [...answers, ...details].map(heard).join("\n");
}

async function readPlaces() {
  const servers = yard.members.map(({ server }) => server);
  const doors = [
    ...yard.of("gateway").map(({ gatewayUrl }) => gatewayUrl),
    ...yard.of("platform").map(({ platformUrl }) => platformUrl),
  ];
  const metrics = await Promise.all(doors.map(async (url) => await (await fetch(`${url}/metrics`)).text()));
  return {
    logs: servers.map(({ output }) => output.stdout + output.stderr).join("\n"),
    commandLines: servers.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8")).join("\n"),
    metrics: metrics.join("\n"),
    traces: await readTraces(),
    database: await dumpDatabase(),
  };
}

// Longer than a process keeps them to send them together.
const tracesMs = 2_500;

/** Once nothing more has come for longer than a process collects them. */
async function readTraces(): Promise<string> {
  for (let known = -1; hostile.traces.length > known || known < 1; await delay(tracesMs)) known = hostile.traces.length;
  return hostile.traces.join("\n");
}

/** Every table of every schema, as PostgreSQL itself would write it into a dump. */
async function dumpDatabase(): Promise<string> {
  const tables = await yard.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const file = path.join(yard.dataDir, "postgres", "dump");
  const texts: string[] = [];
  for (const { name } of tables) {
    await yard.query(`COPY (SELECT * FROM ${name}) TO '${file}'`);
    texts.push(readFileSync(file, "utf8"));
  }
  return texts.join("\n");
}

/** What must be nowhere but with its owner. The token of a session is in its row; without its signature it opens nothing. */
async function listOwnSecrets(): Promise<string[]> {
  const { SWITCHYARD_MASTER_KEY: master, SWITCHYARD_COOKIE_KEY: cookie } = yard.environment as Record<string, string>;
  const cookies = [...person.browser.cookies.values()].map(
    (value) => decodeURIComponent(value).split(".").at(-1) ?? "",
  );
  return [key, key.slice(4), master, cookie, ...cookies].filter((secret): secret is string => secret !== undefined);
}

invariant("V29", {
  promise: "a wrong or missing master key starts nothing, and a ciphertext in another row opens nothing",
  rounds: { quick: 1, full: 5 },
  planted: "the database forgets which key it was sealed with",
  async check({ rounds, isPlanted }) {
    const violations: string[] = [];
    if (isPlanted) await yard.query("DELETE FROM master_key_check");
    for (let round = 0; round < rounds; round++) {
      violations.push(...(await startWithWrongKeys()), ...(await swapCredentials()), ...(await swapSigningSecrets()));
    }
    return violations;
  },
});

async function startWithWrongKeys(): Promise<string[]> {
  const folder = createDataDir();
  try {
    const wrong = {
      another: randomBytes(32).toString("base64"),
      missing: "",
      short: randomBytes(16).toString("base64"),
    };
    const endings = await Promise.all(
      Object.entries(wrong).map(async ([name, masterKey]) => {
        const environment = {
          ...yard.environment,
          SWITCHYARD_DATA_DIR: folder.dataDir,
          SWITCHYARD_MASTER_KEY: masterKey,
        };
        return { name, ...(await startUntilReady(environment)) };
      }),
    );
    return endings.flatMap(({ name, isReady, code, stderr }) =>
      !isReady && code !== 0 && /master key is not the one|SWITCHYARD_MASTER_KEY/.test(stderr)
        ? []
        : [`with ${name} key: ${isReady ? "ready" : `ended with ${code}`}: ${stderr}`],
    );
  } finally {
    await folder.remove();
  }
}

/** Until it ends or, against the promise, is ready. */
async function startUntilReady(environment: Record<string, string>) {
  const server = spawnSwitchyard(["serve", "--roles", "worker"], { environment });
  let isReady = false;
  server.child.stdout.on("data", () => {
    isReady ||= server.output.stdout.includes("Switchyard is ready");
    if (isReady) server.child.kill("SIGKILL");
  });
  const { code, stderr } = await server.ended;
  return { isReady, code, stderr };
}

const swap = (table: string, column: string, [one, other]: [string, string]) =>
  yard.query(
    `UPDATE ${table} AS t SET ${column} = o.${column} FROM ${table} AS o
     WHERE (t.id, o.id) IN (('${one}', '${other}'), ('${other}', '${one}'))`,
  );

/** Within an organization and across two. */
async function swapCredentials(): Promise<string[]> {
  const violations: string[] = [];
  const teams = [await yard.createTeam(randomUUID()), await yard.createTeam(randomUUID())];
  const data = { kind: "bearer", accessToken: "token-of-another", baseUrl: yard.provider.url };
  const organizationId = teams[0]?.organizationId ?? "";
  const second = await yard.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "B",
    data,
    createdBy: null,
  });
  const [first = "", foreign = ""] = teams.map(({ reference }) => reference.split(":").at(-1) ?? "");
  for (const other of [second.id, foreign]) {
    yard.provider.forget();
    await swap("credential", "sealed", [first, other]);
    const swapped = await openIssue(teams[0]);
    if (!swapped.includes("credential_unreadable")) violations.push(`a swapped ciphertext was answered ${swapped}`);
    if (yard.provider.requests.length > 0) violations.push("the provider was asked with another secret");
    await swap("credential", "sealed", [first, other]);
    const back = await openIssue(teams[0]);
    if (!back.includes("structuredContent")) violations.push(`a ciphertext in its own row was answered ${back}`);
  }
  return violations;
}

async function openIssue(team: Awaited<ReturnType<Yard["createTeam"]>> | undefined): Promise<string> {
  const client = createMcpClient(yard.of("gateway")[0]?.gatewayUrl ?? "", { "x-api-key": team?.key.key });
  const given = { owner: "a", repo: "b", title: "c", credentials: { github: team?.reference } };
  return (await client.modern("github", "tools/call", { name: "github_create_issue", arguments: given })).text;
}

async function swapSigningSecrets(): Promise<string[]> {
  const canvas = { nodes: [node("a", "set_fields", { fields: {} })], edges: [] };
  const { id: workflowId } = await yard.parts.workflows.create(person.organizationId, { name: "Listen", canvas }, null);
  const asked = { workflowId, kind: "webhook", name: "Hook", signature: "standard" };
  const hooks = [
    await browserAt(0).post(inOrganization("/triggers"), asked),
    await browserAt(0).post(inOrganization("/triggers"), asked),
  ];
  const [one, other] = hooks.map(({ body }) => body as { id: string; webhookUrl: string; signingSecret: string });
  if (!one || !other) throw new Error("two webhooks are needed");
  const deliver = async (secret: string) => {
    const headers = { ...signStandard(secret, "{}", { id: randomUUID() }), "content-type": "application/json" };
    const url = platformAt(0).platformUrl + new URL(one.webhookUrl).pathname;
    return (await fetch(url, { method: "POST", headers, body: "{}" })).status;
  };
  await swap("trigger", "secret_sealed", [one.id, other.id]);
  const statuses = [await deliver(one.signingSecret), await deliver(other.signingSecret)];
  await swap("trigger", "secret_sealed", [one.id, other.id]);
  statuses.push(await deliver(one.signingSecret));
  return String(statuses) === "401,401,202" ? [] : [`deliveries around swapped secrets were answered ${statuses}`];
}
