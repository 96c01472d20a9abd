import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { type Furnished, furnishOrganization } from "../support/furnish-organization.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { plantRemoval } from "../support/triggers/plant-removal.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard, type Yard } from "./yard.ts";

type Owner = Awaited<ReturnType<typeof signUpOwner>>;

let yard: Yard;
let server: SpawnedServer;
let ann: Owner;
let bob: Owner;
let own: Furnished;
let foreign: Furnished & { connectionId: string; removalId: string };
let decryptionsFile: string;

beforeAll(async () => {
  yard = await startYard({ members: [], environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "100000" } });
  decryptionsFile = path.join(yard.dataDir, "decryptions");
  const script = fileURLToPath(new URL("../support/count-decryptions.mjs", import.meta.url));
  const environment = { NODE_OPTIONS: `--import ${script}`, TEST_DECRYPTIONS_FILE: decryptionsFile };
  ({ server } = await yard.add("platform,gateway,worker", { environment }));
  const app = { parts: yard.parts, browser: server.browser };
  [ann, bob] = [await signUpOwner(app, "Ann"), await signUpOwner(app, "Bob")];
  await signUpMember(app, bob.organizationId, "Mona", "member");
  const baseUrl = yard.provider.url;
  own = await furnishOrganization(ann, { baseUrl, tag: "ann" });
  const furnished = await furnishOrganization(bob, { baseUrl, tag: "bob" });
  foreign = { ...furnished, connectionId: await connectClient(), removalId: await plantRemoval(yard.query, furnished) };
  // A worker that sends events opens their signing secrets.
  await yard.query("UPDATE event_endpoint SET is_active = false");
}, 90_000);
afterAll(() => yard?.stop());

async function connectClient(): Promise<string> {
  const id = randomUUID();
  await yard.query(`INSERT INTO oauth_client (id, kind, metadata) VALUES ('${id}', 'registered', '{}')`);
  await yard.query(
    `INSERT INTO oauth_connection (id, user_id, organization_id, client_id, client_name, resource, server_id, scopes, expires_at)
     VALUES ('${id}', '${bob.userId}', '${bob.organizationId}', '${id}', 'C', 'r', 'github', '{mcp:invoke}', now() + interval '1 day')`,
  );
  return id;
}

type Route = { method: string; path: string };
type Ids = Record<string, unknown>;

async function readRoutes(): Promise<Route[]> {
  const { paths } = (await ann.browser.get("/openapi.json")).body as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([one, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: one })),
  );
  return routes.filter((route) => namesIn(route).some((name) => name in foreign) && !route.path.endsWith("/events"));
}

const namesIn = ({ path: text }: Route): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
const fixed: Ids = {
  list: "models",
  nodeId: "issue",
  toolName: "system_date_time",
  variableName: "region",
  type: "github",
  providerId: "github",
  token: "x",
  fileNumber: "1",
};
const fill = (text: string, ids: Ids) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? fixed[name] ?? randomUUID()));
const nobodys = (): Ids => ({
  ...Object.fromEntries(Object.keys(foreign).map((name) => [name, randomUUID()])),
  version: "1",
  otherVersion: "1",
});

/** What is said to the owner of the other organization, without what differs between any two requests. */
async function ask({ method, path: text }: Route, ids: Ids): Promise<string> {
  const body = ["GET", "DELETE"].includes(method)
    ? undefined
    : (bodies[namesIn({ method, path: text }).at(-1) ?? ""] ?? {});
  const headers: Record<string, string> = text.startsWith("/task-runner/") ? { "x-api-key": own.others.key } : {};
  const answer = await ann.browser.send(method, fill(text, ids), body, headers);
  const { requestId: _, instance: __, ...problem } = answer.status >= 400 ? answer.body : { body: answer.text };
  const said = JSON.stringify([answer.status, answer.headers.get("content-type"), problem]);
  return Object.values(ids).reduce<string>(
    (found, id) => (String(id).length > 10 ? found.replaceAll(String(id), "ID") : found),
    said,
  );
}

const bodies: Record<string, object> = {
  memberId: { role: "viewer" },
  type: { credentialId: randomUUID() },
  triggerId: { active: false },
  keyId: { name: "taken over" },
  credentialId: { name: "taken over" },
  workflowId: { name: "taken over" },
};

/** Everything that is kept for the other organization, but for what workers write by themselves. */
async function readForeignRows(): Promise<string> {
  const tables = await yard.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'organization_id' AND table_name !~ '^slot_|^event_delivery'`,
  );
  const texts = tables.map(
    ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS hash
    FROM "${name}" t WHERE organization_id = '${foreign.organizationId}'`,
  );
  return JSON.stringify(await yard.query(`${texts.join(" UNION ALL ")} ORDER BY name`));
}

invariant("V15", {
  promise: "an id of another organization is answered like one of nobody, also in time, and nothing of it is touched",
  rounds: { quick: 15, full: 201 },
  planted: "the other organization takes the attacker for a member",
  async check({ rounds, random, isPlanted }) {
    const before = await readForeignRows();
    if (isPlanted)
      await yard.query(
        `INSERT INTO member (id, organization_id, user_id, role) VALUES (gen_random_uuid(), '${foreign.organizationId}', '${ann.userId}', 'viewer')`,
      );
    const routes = await readRoutes();
    const unknown = routes.flatMap(namesIn).filter((name) => !(name in foreign) && !(name in fixed));
    const violations = [...new Set(unknown)].map((name) => `nothing is tried for {${name}}`);
    for (const route of routes) {
      violations.push(...(await compare(route, {})));
      if (
        namesIn(route).some((name) => !["organizationId", "version", "otherVersion"].includes(name) && name in foreign)
      )
        violations.push(...(await compare(route, { organizationId: own.organizationId })));
    }
    violations.push(...(await compareTimes(rounds, random)));
    if (!isPlanted && (await readForeignRows()) !== before)
      violations.push("rows of the other organization have changed");
    return [
      ...violations,
      ...(await readHistoryAtGateway()),
      ...yard.provider.requests.map(() => "the provider was asked"),
    ];
  },
});

/** A key has no way to read the history. */
async function readHistoryAtGateway(): Promise<string[]> {
  const routes = ["tool-calls", "events"].map((name) => `/api/organizations/${foreign.organizationId}/${name}`);
  const headers = { "x-api-key": own.others.key };
  const statuses = await Promise.all(
    routes.map(async (route) => (await fetch(server.gatewayUrl + route, { headers })).status),
  );
  return statuses
    .filter((status) => status !== 404)
    .map((status) => `the gateway answered ${status} about the history`);
}

async function compare(route: Route, attackers: Ids): Promise<string[]> {
  const [answer, expected] = [
    await ask(route, { ...foreign, ...attackers }),
    await ask(route, { ...nobodys(), ...attackers }),
  ];
  const place = `${route.method} ${route.path}${attackers.organizationId ? " of the attacker" : ""}`;
  if (answer !== expected) return [`${place}: ${answer} instead of ${expected}`];
  return /^\[40[0134],/.test(answer) ? [] : [`${place}: ${answer}`];
}

const timed: Route[] = [
  { method: "GET", path: "/api/organizations/{organizationId}" },
  { method: "GET", path: "/api/organizations/{organizationId}/credentials/{credentialId}" },
  { method: "GET", path: "/api/organizations/{organizationId}/workflows/{workflowId}" },
  { method: "GET", path: "/api/organizations/{organizationId}/tool-calls/{recordId}" },
  { method: "DELETE", path: "/api/organizations/{organizationId}/triggers/{triggerId}" },
  { method: "GET", path: "/task-runner/executions/{executionId}" },
  { method: "POST", path: "/task-runner/trigger/{workflowId}" },
];

async function compareTimes(rounds: number, random: Random): Promise<string[]> {
  const limitMs = roundsOf(25, 5);
  const violations: string[] = [];
  const asked = timed.map((route) => {
    const attackers = route.path.includes("{organizationId}/") ? { organizationId: own.organizationId } : {};
    return { name: `${route.method} ${route.path}`, send: (ids: Ids) => ask(route, { ...ids, ...attackers }) };
  });
  const call = { name: "a tool call", send: ({ credentialId }: Ids) => ways["a tool call"](String(credentialId)) };
  for (const { name, send } of [...asked, call]) {
    const differenceMs = await measureDifferenceMs(send, rounds, random);
    if (Math.abs(differenceMs) > limitMs) violations.push(`${name} takes ${differenceMs} ms more or less`);
  }
  return violations;
}

/** The one and the other in turn, so that both meet the same load. */
async function measureDifferenceMs(
  send: (ids: Ids) => Promise<unknown>,
  rounds: number,
  random: Random,
): Promise<number> {
  const timesMs: { foreign: number[]; nobody: number[] } = { foreign: [], nobody: [] };
  const measure = async (whose: keyof typeof timesMs) => {
    const ids = whose === "foreign" ? foreign : nobodys();
    const startedAt = performance.now();
    await send(ids);
    timesMs[whose].push(performance.now() - startedAt);
  };
  for (let round = 0; round < rounds; round++) {
    const isFirst = random.below(2) === 0;
    await measure(isFirst ? "foreign" : "nobody");
    await measure(isFirst ? "nobody" : "foreign");
  }
  return median(timesMs.foreign) - median(timesMs.nobody);
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const countDecryptions = (): number => (existsSync(decryptionsFile) ? statSync(decryptionsFile).size : 0);

async function createCredential(owner: Owner, type: "github" | "http_auth"): Promise<string> {
  const data =
    type === "github"
      ? { kind: "bearer", accessToken: "token", baseUrl: yard.provider.url, webhookSecret: "secret" }
      : { authKind: "basic", username: "a", secret: "b", baseUrl: yard.provider.url };
  return (await yard.parts.vault.credentials.create(owner.organizationId, { type, name: type, data, createdBy: null }))
    .id;
}

const corrupt = async (id: string): Promise<string> => {
  await yard.query(`UPDATE credential SET sealed = decode('00', 'hex') || sealed WHERE id = '${id}'`);
  return id;
};

/** Each way to name a credential, with what is said then; ids left out. */
const ways = {
  async "a tool call"(id: string) {
    const client = createMcpClient(server.gatewayUrl, { "x-api-key": own.others.key });
    const given = { ...issue, credentials: { github: `credential:organization:${id}` } };
    return (await client.modern("github", "tools/call", { name: "github_create_issue", arguments: given })).text;
  },
  "a tried tool": (id: string) =>
    post("/tools/github_create_issue/call", {
      parameters: issue,
      credentials: { github: `credential:organization:${id}` },
    }),
  "a default": (id: string) => post("/default-credentials/github", { credentialId: id }, "PUT"),
  "a webhook": (id: string) =>
    post("/triggers", { workflowId: own.workflowId, kind: "webhook", name: "W", provider: "github", credentialId: id }),
  "a test": (id: string) => post(`/credentials/${id}/test`, {}),
};
type Way = keyof typeof ways;
const issue = { owner: "a", repo: "b", title: "c" };
const post = async (route: string, body: object, method = "POST"): Promise<string> => {
  const { status, text } = await ann.browser.send(method, `/api/organizations/${ann.organizationId}${route}`, body);
  return `${status} ${text}`;
};
const withoutIds = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replaceAll(/"(requestId|durationMs)":("[^"]*"|\d+)/g, "");

invariant("V16", {
  promise: "a credential of another organization or type is refused before it is decrypted, whatever state it is in",
  rounds: { quick: 2, full: 50 },
  planted: "a foreign credential is put among the attacker's own",
  async check({ rounds, isPlanted }) {
    const fine = await createCredential(bob, "github");
    const foreigners = {
      unreadable: await corrupt(await createCredential(bob, "github")),
      otherType: await createCredential(bob, "http_auth"),
      unknown: randomUUID(),
    };
    const ownIds = [await createCredential(ann, "http_auth"), await corrupt(await createCredential(ann, "http_auth"))];
    const before = await readForeignRows();
    if (isPlanted)
      await yard.query(`UPDATE credential SET organization_id = '${ann.organizationId}' WHERE id = '${fine}'`);
    const decrypted = countDecryptions();
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++)
      for (const way of Object.keys(ways) as Way[])
        violations.push(...(await nameForeign(way, fine, foreigners)), ...(await nameWrongType(way, ownIds)));
    const count = countDecryptions() - decrypted;
    if (count > 0) violations.push(`${count} decryptions`);
    if (!isPlanted && (await readForeignRows()) !== before)
      violations.push("rows of the other organization have changed");
    return [...violations, ...yard.provider.requests.map(() => "the provider was asked"), ...(await findDamage())];
  },
});

const say = async (way: Way, id: string): Promise<string> => withoutIds(await ways[way](id));

async function nameForeign(way: Way, fine: string, others: Record<string, string>): Promise<string[]> {
  const expected = await say(way, fine);
  const answers = await Promise.all(
    Object.entries(others).map(async ([state, id]) => ({ state, said: await say(way, id) })),
  );
  return answers
    .filter(({ said }) => said !== expected)
    .map(({ state, said }) => `${way}, ${state}: ${said} instead of ${expected}`);
}

/** Testing one's own is allowed, whatever its type. */
async function nameWrongType(way: Way, [fine = "", unreadable = ""]: string[]): Promise<string[]> {
  if (way === "a test") return [];
  const [said, other] = [await say(way, fine), await say(way, unreadable)];
  const isTaken = /^2|"structuredContent"/.test(said);
  return [
    ...(said === other ? [] : [`${way} tells an unreadable one of the wrong type: ${other} instead of ${said}`]),
    ...(isTaken ? [`${way} takes the wrong type: ${said}`] : []),
  ];
}

/** The damage is real, and decryptions are seen: both are noticed where they belong. */
async function findDamage(): Promise<string[]> {
  const before = countDecryptions();
  const [good, broken] = [await createCredential(ann, "github"), await corrupt(await createCredential(ann, "github"))];
  const said = await ways["a tool call"](broken);
  await ways["a tool call"](good);
  yard.provider.forget();
  return [
    ...(said.includes("credential_unreadable") ? [] : [`a damaged credential was answered ${said}`]),
    ...(countDecryptions() > before ? [] : ["a decryption was not counted"]),
  ];
}
