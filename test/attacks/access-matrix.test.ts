import { randomUUID } from "node:crypto";
import type { RouteOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Access } from "../../src/door/access.ts";
import { type Role, roles } from "../../src/identity/wire.ts";
import type { Browser } from "../support/browser-client.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient } from "../support/oauth/oauth-client.ts";
import { password, signIn, signUpMember, signUpOwner } from "../support/people.ts";

type Route = { door: "platform" | "gateway"; method: string; url: string; access: Access; mcp: Mcp | undefined };
type Mcp = { id: string; scopes: string[]; acceptsApiKeys: boolean };
/** A caller with what it can show: the role it has where it knocks, the scopes of its key, or the servers and scopes of its token. */
type Caller = {
  name: string;
  headers: Record<string, string>;
  role?: Role | "none";
  keyScopes?: string[];
  token?: { serverId: string; scopes: string[] };
};
type Answer = { status: number; code: string | undefined; detail: string | undefined };

let oauth: OAuthApp;
let routes: Route[];
let callers: Caller[];
let organizationId: string;

beforeAll(async () => {
  oauth = await startOAuthApp({ environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000000" } });
  organizationId = oauth.ann.organizationId;
  routes = oauth.app.routes.flatMap((table, index) =>
    table.flatMap((route) => toRoutes(index === 0 ? "platform" : "gateway", route)),
  );
  callers = [...(await people()), ...(await keys()), ...(await tokens())];
});
afterAll(() => oauth.stop());

function toRoutes(door: Route["door"], { method, url, config }: RouteOptions): Route[] {
  const { access, mcp } = (config ?? {}) as { access: Access; mcp?: Mcp };
  return [method].flat().map((name) => ({ door, method: name, url, access, mcp }));
}

const cookieOf = ({ cookies }: Browser) => ({ cookie: [...cookies].map((pair) => pair.join("=")).join("; ") });

async function people(): Promise<Caller[]> {
  const { app, ann } = oauth;
  const members = await Promise.all(
    roles
      .slice(1)
      .map(async (role) => ({ role, browser: (await signUpMember(app, organizationId, `the-${role}`, role)).browser })),
  );
  const bob = await signUpOwner(app, "Bob");
  await app.parts.identity.accounts.create({ name: "Nemo", email: "nemo@example.com", password });
  const late = await signIn(app, ann.email);
  await app.database.query("UPDATE session SET expires_at = now() - interval '1 second' WHERE token = $1", [
    tokenOf(late.browser),
  ]);
  const gone = await signUpMember(app, organizationId, "gone", "owner");
  await app.parts.identity.organizations.removeMember(organizationId, gone.memberId, { actorRole: "owner" });
  return [
    { name: "nobody", headers: {} },
    { name: "an owner", headers: cookieOf(ann.browser), role: "owner" },
    ...members.map(({ role, browser }): Caller => ({ name: `a ${role}`, headers: cookieOf(browser), role })),
    { name: "an owner of another organization", headers: cookieOf(bob.browser), role: "none" },
    {
      name: "a member of no organization",
      headers: cookieOf((await signIn(app, "nemo@example.com")).browser),
      role: "none",
    },
    { name: "an owner who was removed", headers: cookieOf(gone.browser), role: "none" },
    { name: "an owner whose session has expired", headers: cookieOf(late.browser) },
  ];
}

const tokenOf = ({ cookies }: Browser): string =>
  decodeURIComponent([...cookies.values()][0] ?? "").split(".")[0] ?? "";

async function keys(): Promise<Caller[]> {
  const { app } = oauth;
  const create = async (scopes: ("workflows:trigger" | "mcp:invoke")[]) =>
    (await app.parts.identity.apiKeys.create(organizationId, { name: "test", scopes, createdBy: null })).key;
  const callerWith = (name: string, key: string, keyScopes?: string[]): Caller => ({
    name,
    headers: { "x-api-key": key },
    ...(keyScopes ? { keyScopes } : {}),
  });
  const revoked = await app.parts.identity.apiKeys.create(organizationId, {
    name: "revoked",
    scopes: ["mcp:invoke"],
    createdBy: null,
  });
  await app.parts.identity.apiKeys.revoke(organizationId, revoked.id);
  return [
    callerWith("a key for workflows", await create(["workflows:trigger"]), ["workflows:trigger"]),
    callerWith("a key for tools", await create(["mcp:invoke"]), ["mcp:invoke"]),
    callerWith("a revoked key", revoked.key),
  ];
}

async function tokens(): Promise<Caller[]> {
  const { client, ann } = oauth;
  const connect = async (serverId: string, scopes?: ("platform:read" | "platform:write")[]): Promise<Caller> => {
    const { tokens: issued } = await connectClient(client, ann, { serverId, ...(scopes ? { scopes } : {}) });
    const token = { serverId, scopes: issued.scope.split(" ") };
    return {
      name: `a token for ${serverId} (${issued.scope})`,
      headers: { authorization: `Bearer ${issued.access_token}` },
      token,
    };
  };
  return [
    await connect("system"),
    await connect("github"),
    await connect("platform", ["platform:read"]),
    await connect("platform", ["platform:write"]),
  ];
}

/** What the route's own declaration promises this caller; undefined: to be let in. */
function expectedRefusal({ access, mcp }: Route, caller: Caller): { status: number; code: string } | undefined {
  if (access === "public" || access === "operations") return undefined;
  if (access === "mcp") return expectedOfMcp(mcp as Mcp, caller);
  if (typeof access === "object" && "scope" in access) return expectedOfKey(access.scope, caller);
  if (caller.role === undefined) return { status: 401, code: "not_signed_in" };
  return access === "session" ? undefined : expectedOfMember(access.role, caller.role);
}

function expectedOfMember(needed: Role, role: Role | "none") {
  if (role === "none") return { status: 404, code: "not_found" };
  return roles.indexOf(role) <= roles.indexOf(needed) ? undefined : { status: 403, code: "role_required" };
}

function expectedOfKey(scope: string, { keyScopes }: Caller) {
  if (!keyScopes) return { status: 401, code: "api_key_" };
  return keyScopes.includes(scope) ? undefined : { status: 403, code: "insufficient_scope" };
}

function expectedOfMcp({ id, scopes, acceptsApiKeys }: Mcp, { headers, keyScopes, token }: Caller) {
  const hasKey = headers["x-api-key"] !== undefined;
  if (token) {
    if (token.serverId !== id) return { status: 401, code: "access_token_invalid" };
    return token.scopes.some((scope) => scopes.includes(scope))
      ? undefined
      : { status: 403, code: "insufficient_scope" };
  }
  if (!hasKey) return { status: 401, code: acceptsApiKeys ? "api_key_missing" : "access_token_missing" };
  if (!acceptsApiKeys) return { status: 403, code: "api_key_not_accepted" };
  if (!keyScopes) return { status: 401, code: "api_key_invalid" };
  return keyScopes.includes("mcp:invoke") ? undefined : { status: 403, code: "insufficient_scope" };
}

/** With a body that nobody can read: whoever is let in is told so, and nothing happens. */
async function knock({ door, method, url }: Route, headers: Record<string, string>): Promise<Answer> {
  const base = door === "platform" ? oauth.app.platformUrl : oauth.app.gatewayUrl;
  const path = url.replace(":organizationId", organizationId).replaceAll(/:\w+/g, randomUUID()).replace("*", "");
  const hasBody = !["GET", "HEAD"].includes(method);
  const body = hasBody
    ? { body: "{not json", headers: { "content-type": "application/json", ...headers } }
    : { headers };
  const stop = new AbortController();
  const response = await fetch(base + path, { method, redirect: "manual", signal: stop.signal, ...body });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    stop.abort();
    return { status: response.status, code: undefined, detail: undefined };
  }
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  const { code, detail } = (isJson ? JSON.parse(text) : {}) as { code?: string; detail?: string };
  return { status: response.status, code, detail };
}

// The answer to HEAD has no body that would tell the reason.
const isRefused = ({ method }: Route, { status, code }: Answer, expected: { status: number; code: string }) =>
  status === expected.status && (method === "HEAD" || (code ?? "").startsWith(expected.code));
const isLetIn = ({ status, code, detail }: Answer) =>
  ![401, 403].includes(status) &&
  status < 500 &&
  !(code === "not_found" && detail === "There is no such organization.");
const nameOf = ({ door, method, url }: Route) => `${door}: ${method} ${url}`;

describe("every route, for every kind of caller", () => {
  it("is known with what it declares", () => {
    expect(routes.filter(({ door }) => door === "platform").length).toBeGreaterThan(90);
    expect(routes.filter(({ door }) => door === "gateway").length).toBeGreaterThan(50);
    expect(routes.filter(({ access }) => access === undefined)).toEqual([]);
  });

  it("answers as its declared access says", async () => {
    const wrong: unknown[] = [];
    const judge = async (route: Route, caller: Caller) => {
      const origin = route.door === "platform" ? oauth.app.platformUrl : "null";
      const answer = await knock(route, { origin, ...caller.headers });
      const expected = expectedRefusal(route, caller);
      if (!(expected ? isRefused(route, answer, expected) : isLetIn(answer)))
        wrong.push([nameOf(route), caller.name, expected ?? "to be let in", answer]);
    };
    for (const route of routes) {
      const isForAll = route.access === "public" || route.access === "operations";
      await Promise.all((isForAll ? callers.slice(0, 1) : callers).map((caller) => judge(route, caller)));
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it("knows no key without scopes", async () => {
    const plant = oauth.app.database.query("UPDATE api_key SET scopes = '{}' WHERE organization_id = $1", [
      organizationId,
    ]);
    await expect(plant).rejects.toThrow("violates check constraint");
  });

  it("takes nothing that changes something from a page of another origin, whoever is signed in there", async () => {
    const [, owner] = callers as [Caller, Caller];
    const changing = routes.filter(
      ({ access, method }) => (access === "session" || isForRole(access)) && !["GET", "HEAD"].includes(method),
    );
    expect(changing.length).toBeGreaterThan(40);
    for (const route of changing)
      for (const origin of [
        {},
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `${oauth.app.platformUrl}.evil.example` },
      ])
        expect([nameOf(route), (await knock(route, { ...owner.headers, ...origin })).code]).toEqual([
          nameOf(route),
          "origin_refused",
        ]);
  });
});

const isForRole = (access: Access): access is { role: Role } => typeof access === "object" && "role" in access;

describe("what routes declare", () => {
  it("lets strangers do what they must do before they are somebody, and nothing else", () => {
    const open = routes
      .filter(
        ({ access, method, url }) =>
          access === "public" && method !== "HEAD" && !/^\/(docs|assets)\b|^\/[\w.-]+\.(html|js|svg|md)$/.test(url),
      )
      .map(({ method, url }) => `${method} ${url}`);
    expect(open.sort()).toEqual(publicRoutes.sort());
  });

  it("needs more than a viewer for every change, but for leaving, disconnecting oneself and a question", () => {
    const byViewers = routes.filter(
      ({ access, method }) => isForRole(access) && access.role === "viewer" && !["GET", "HEAD"].includes(method),
    );
    expect(byViewers.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      "DELETE /api/organizations/:organizationId/connections/:connectionId",
      "DELETE /api/organizations/:organizationId/members/me",
      "POST /api/organizations/:organizationId/schedule-preview",
    ]);
  });

  it("leaves keys, credentials, people and outbound events to owners and admins", () => {
    const guarded =
      /\/organizations\/:organizationId(\/(api-keys|credentials|default-credentials|invitations|members|event-endpoints)\b.*)?$/;
    // People leave by themselves, and who fills in a form asks an account what it offers, which changes nothing.
    for (const route of routes.filter(({ url, method }) => guarded.test(url) && !["GET", "HEAD"].includes(method)))
      if (!/\/(?:members\/me|choices\/:list)$/.test(route.url))
        expect(["owner", "admin"], nameOf(route)).toContain((route.access as { role: Role }).role);
  });
});

const publicRoutes = [
  ...["GET /", "GET /openapi.json", "GET /api/providers/:providerId/icon.svg"],
  ...["GET /api/setup", "POST /api/setup", "POST /api/sign-up", "POST /api/sign-in"],
  ...["POST /api/password-reset", "POST /api/password-reset/confirm"],
  ...["GET /api/invitations/:invitationId", "POST /api/invitations/:invitationId/sign-up"],
  ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => `${method} /webhooks/:triggerId/:token`),
  ...["OPTIONS *", "GET /servers", "GET /servers/:serverId"],
  ...["GET /.well-known/oauth-authorization-server", "GET /.well-known/openid-configuration"],
  "GET /.well-known/oauth-protected-resource/:serverId/mcp",
  ...[
    "GET /authorize",
    "GET /oauth/authorize",
    "GET /oauth/authorize/:uid",
    "GET /oauth/consent/:uid",
    "GET /oauth/consent/:uid/finish",
  ],
  ...[
    "GET /oauth/jwks",
    "POST /oauth/register",
    "POST /register",
    "POST /oauth/token",
    "POST /token",
    "POST /oauth/revoke",
  ],
];
