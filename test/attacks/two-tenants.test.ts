import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type ApiDocument,
  type ApiRoute,
  idSites,
  idSitesIn,
  preview,
  withReference,
} from "../support/foreign-id-sites.ts";
import { type Furnished, furnishOrganization } from "../support/furnish-organization.ts";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient } from "../support/oauth/oauth-client.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { plantRemoval } from "../support/triggers/plant-removal.ts";

type Foreign = Furnished & { connectionId: string; removalId: string };

let oauth: OAuthApp;
let provider: FakeProvider;
let document: ApiDocument;
let routes: ApiRoute[];
/** The attacker's organization, and the one it must not reach. */
let own: Furnished;
let foreign: Foreign;
let clients: Record<"key" | "token" | "platform" | "workflows", McpClient>;

let rows: pg.Client;
let rowsText: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  oauth = await startOAuthApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  const { app, ann, client } = oauth;
  const bob = await signUpOwner(app, "Bob");
  own = await furnishOrganization(ann, { baseUrl: provider.url, tag: "ann" });
  const connect = async (serverId: string, person = ann) => (await connectClient(client, person, { serverId })).mcp;
  await connect("github", bob);
  const { body } = await bob.browser.get(`/api/organizations/${bob.organizationId}/connections`);
  const furnished = await furnishOrganization(bob, { baseUrl: provider.url, tag: "bob" });
  const removalId = await plantRemoval((text) => app.database.query(text), furnished);
  foreign = { ...furnished, connectionId: body.data[0].id, removalId };
  clients = {
    key: createMcpClient(app.gatewayUrl, { "x-api-key": own.others.key }),
    token: await connect("github"),
    platform: await connect("platform"),
    workflows: createMcpClient(app.gatewayUrl, { "x-api-key": own.others.key }),
  };
  document = (await ann.browser.get("/openapi.json")).body;
  routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  rows = new pg.Client(app.database.target);
  await rows.connect();
  rowsText = await describeForeignRows();
  await vi.waitFor(async () => {
    const open = await app.database.query(
      "SELECT id FROM run WHERE status NOT IN ('succeeded', 'failed', 'cancelled')",
    );
    if (open.length > 0) throw new Error("a run has not ended yet");
  }, 20_000);
});
afterAll(async () => {
  await rows?.end();
  await oauth?.stop();
  await provider?.stop();
});

const inOwn = () => `/api/organizations/${own.organizationId}`;

/** Everything that is kept for the other organization, but for what workers write by themselves. */
async function describeForeignRows(): Promise<string> {
  const tables = await oauth.app.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id' AND table_name !~ '^slot_|^event_delivery' ORDER BY 1`,
  );
  const text = tables.map(
    ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) FROM "${name}" t
     WHERE organization_id = $1`,
  );
  return text.join(" UNION ALL ");
}

const readForeignRows = async () =>
  (await rows.query({ name: "foreign", text: rowsText, values: [foreign.organizationId] })).rows;

/** Ids that mean nothing to anybody, but of the same form. */
const nobodys = (): Foreign => {
  const ids = Object.entries(foreign).map(([name, value]) => [
    name,
    typeof value === "string" && value.length === 36 ? randomUUID() : value,
  ]);
  const others = {
    ...foreign.others,
    reference: `credential:organization:${randomUUID()}`,
    toolName: "tool_of_nobody",
  };
  return { ...Object.fromEntries(ids), others } as Foreign;
};

const fill = (path: string, ids: Record<string, unknown>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? fixed[name] ?? randomUUID()));
const fixed: Record<string, string> = {
  list: "models",
  nodeId: "now",
  toolName: "system_date_time",
  variableName: "region",
  type: "github",
  providerId: "github",
  uid: "A".repeat(43),
  token: "x",
  fileNumber: "1",
};

/** The answer without what differs between any two requests. */
async function ask(method: string, path: string, body?: unknown) {
  const isForKeys = path.startsWith("/task-runner/");
  const headers: Record<string, string> = isForKeys ? { "x-api-key": own.others.key } : {};
  const { status, text, body: answer, headers: given } = await oauth.ann.browser.send(method, path, body, headers);
  const problem = status >= 400 ? { ...answer, requestId: "", instance: "" } : text;
  return { status, answer: problem, type: given.get("content-type"), cacheControl: given.get("cache-control") };
}

const sampleBodies: Record<string, unknown> = {
  memberId: { role: "viewer" },
  keyId: { name: "taken over" },
  credentialId: { name: "taken over" },
  workflowId: { name: "taken over" },
  endpointId: { isActive: false },
  triggerId: { active: false },
  type: { credentialId: randomUUID() },
};
const bodyFor = ({ method, path }: ApiRoute): unknown => {
  if (["GET", "DELETE"].includes(method)) return undefined;
  const last = [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1] ?? "";
  const isChange = method === "PATCH" || method === "PUT";
  return isChange ? (sampleBodies[last] ?? { name: "taken over" }) : path.includes("preview") ? preview({}) : {};
};
const thingsIn = ({ path }: ApiRoute) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).filter((name) => name in foreign);
const isStream = ({ path }: ApiRoute) => path.endsWith("/events");

async function expectSameAsNobodys(
  method: string,
  pathOf: (ids: Furnished) => string,
  bodyOf: (ids: Furnished) => unknown = () => undefined,
) {
  const before = await readForeignRows();
  const answer = await ask(method, pathOf(foreign), bodyOf(foreign));
  const place = `${method} ${pathOf(foreign)}`;
  const other = nobodys();
  expect(hideIds(answer, foreign), place).toEqual(hideIds(await ask(method, pathOf(other), bodyOf(other)), other));
  expect(await readForeignRows(), place).toEqual(before);
  return answer;
}

/** What was asked for may be said back. */
const hideIds = (answer: unknown, ids: Furnished): unknown => {
  const named = Object.values({ ...ids, ...ids.others }).filter(
    (value): value is string => typeof value === "string" && value.length > 10,
  );
  return JSON.parse(named.reduce((text, id) => text.replaceAll(id, "ID"), JSON.stringify(answer)));
};

describe("every id of another organization, for a person", () => {
  it("is known: each kind of id in a path has one", () => {
    const names = new Set(
      routes.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)),
    );
    const known = [...Object.keys(foreign), ...Object.keys(fixed), "sessionId"];
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  });

  it("answers in its own organization's paths as if it did not exist", async () => {
    for (const route of routes.filter((one) => one.path.includes("{organizationId}") && !isStream(one))) {
      const answer = await expectSameAsNobodys(
        route.method,
        (ids) => fill(route.path, ids),
        () => bodyFor(route),
      );
      expect([route.path, answer.status]).toEqual([route.path, 404]);
    }
  }, 60_000);

  it("answers in the attacker's paths as if it did not exist", async () => {
    const reached: unknown[] = [];
    for (const route of routes.filter((one) =>
      thingsIn(one).some((name) => !["organizationId", "version", "otherVersion"].includes(name)),
    )) {
      const { organizationId } = own;
      const answer = await expectSameAsNobodys(
        route.method,
        (ids) => fill(route.path, { ...ids, organizationId }),
        () => bodyFor(route),
      );
      if (answer.status < 400) reached.push([route.method, route.path]);
    }
    expect(reached).toEqual([]);
  }, 60_000);

  it("is not reached step by step: a foreign thing below an own one", async () => {
    const inside: [string, string][] = [
      ["GET", "/event-endpoints/{endpointId}/deliveries?cursor={deliveryId}"],
      ["POST", "/event-endpoints/{endpointId}/deliveries/{deliveryId}/redeliver"],
    ];
    for (const [method, path] of inside)
      await expectSameAsNobodys(method, ({ deliveryId }) => inOwn() + fill(path, { ...own, deliveryId }));
    for (const path of ["deliveries/{webhookDeliveryId}", "deliveries?cursor={webhookDeliveryId}"])
      await expectSameAsNobodys(
        "GET",
        ({ webhookDeliveryId }) => `${inOwn()}/triggers/${own.triggerId}/${fill(path, { webhookDeliveryId })}`,
      );
  });

  it("opens no stream of events", async () => {
    for (const id of [foreign.organizationId, randomUUID()])
      expect((await oauth.ann.browser.get(`/api/organizations/${id}/events`)).body).toMatchObject({
        status: 404,
        detail: "There is no such organization.",
      });
  });
});

describe("every id of another organization in a body or a query", () => {
  it.each(idSites)("is worth nothing: $name", async ({ name, path, body = () => undefined }) => {
    const [method = ""] = name.split(" ");
    const answer = await expectSameAsNobodys(
      method,
      (ids) => inOwn() + path(ids, own),
      (ids) => body(ids, own),
    );
    expect(JSON.stringify(answer)).not.toMatch(/of bob|secret of/);
  });

  it("is tried: each place that the document describes", () => {
    const triedBelow = [
      "/api/doctor /organizationId",
      "/decision /organizationId",
      "/decision /credentialId",
      "/task-runner/trigger/{workflowId} /nodes",
      "?cursor",
    ];
    // An account of another organization is refused in test/oauth/account.test.ts.
    const described = routes
      .flatMap((route) => idSitesIn(route, document))
      .filter((name) => !triedBelow.some((end) => name.endsWith(end)));
    expect(described.sort()).toEqual(idSites.map(({ name }) => name).sort());
  });

  it("is worth nothing to the doctor, to a key's trigger and to a workflow that calls another", async () => {
    await expectSameAsNobodys(
      "POST",
      () => "/api/doctor",
      ({ organizationId }) => ({ url: `${oauth.app.gatewayUrl}/github/mcp`, organizationId }),
    );
    await expectSameAsNobodys("POST", () => `/task-runner/trigger/${own.workflowId}`, withReference);
    const caller = await oauth.ann.browser.post(`${inOwn()}/workflows`, {
      name: "calls",
      canvas: {
        nodes: [{ id: "call", nodeId: "call_workflow", parameters: { workflowId: foreign.workflowId } }],
        edges: [],
      },
    });
    const before = await readForeignRows();
    const started = await oauth.ann.browser.post(`${inOwn()}/workflows/${caller.body.id}/runs`, {});
    const read = async () => (await oauth.ann.browser.get(`${inOwn()}/runs/${started.body.id}`)).body;
    await expect.poll(async () => (await read()).status).toBe("failed");
    expect((await read()).error.code).toBe("workflow_not_found");
    expect(await readForeignRows()).toEqual(before);
  });
});

describe("every id of another organization, for a client", () => {
  const resultOf = async (client: McpClient, serverId: string, name: string, given: unknown) => {
    const { status, json } = await client.legacy(serverId, "tools/call", { name, arguments: given });
    const { requestId: _, ...error } = json.result?._meta?.["switchyard/error"] ?? { requestId: "" };
    return { status, error, rpc: json.error && { ...json.error, data: null }, content: json.result?.content };
  };

  it.each([
    [
      "key",
      "github",
      "github_create_issue",
      ({ others }: Furnished) => ({ owner: "a", repo: "b", title: "c", credentials: { github: others.reference } }),
    ],
    [
      "token",
      "github",
      "github_create_issue",
      ({ others }: Furnished) => ({ owner: "a", repo: "b", title: "c", credentials: { github: others.reference } }),
    ],
    ["platform", "platform", "platform_get_workflow", ({ workflowId }: Furnished) => ({ workflowId })],
    ["platform", "platform", "platform_get_execution", ({ runId }: Furnished) => ({ executionId: runId })],
    [
      "platform",
      "platform",
      "platform_set_trigger_active",
      ({ triggerId }: Furnished) => ({ triggerId, active: false }),
    ],
  ] as const)("is worth nothing with a %s at %s: %s", async (kind, serverId, name, argumentsOf) => {
    const before = await readForeignRows();
    const other = nobodys();
    const answer = await resultOf(clients[kind], serverId, name, argumentsOf(foreign));
    expect(hideIds(answer, foreign)).toEqual(
      hideIds(await resultOf(clients[kind], serverId, name, argumentsOf(other)), other),
    );
    expect(answer.error).toMatchObject({ code: expect.stringMatching(/not_found|not_accessible/) });
    expect(await readForeignRows()).toEqual(before);
  });

  it("shows no tool and no list of the other organization", async () => {
    const { json } = await clients.workflows.legacy("workflows", "tools/list");
    expect(json.result?.tools.map(({ name }) => name)).toEqual(["tool_of_ann"]);
    const foreignTool = await resultOf(clients.workflows, "workflows", "tool_of_bob", {});
    const unknownTool = await resultOf(clients.workflows, "workflows", "tool_of_nob", {});
    expect(JSON.stringify(foreignTool).replace("tool_of_bob", "")).toEqual(
      JSON.stringify(unknownTool).replace("tool_of_nob", ""),
    );
    for (const name of [
      "list_workflows",
      "list_triggers",
      "list_executions",
      "list_tool_invocations",
      "list_credentials",
    ])
      expect(JSON.stringify(await resultOf(clients.platform, "platform", `platform_${name}`, {}))).not.toContain(
        "of bob",
      );
  });
});

it("has never asked the provider for anything", () => {
  expect(provider.requests()).toEqual([]);
});
