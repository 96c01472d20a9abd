import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createBrowser } from "../support/browser-client.ts";
import { freePort } from "../support/free-port.ts";
import { callWith } from "../support/gateway/gateway-pair.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import {
  connectClient,
  createChallenge,
  createOAuthClient,
  openConsent,
  redirectUri,
} from "../support/oauth/oauth-client.ts";
import { password, signIn, signUpOwner } from "../support/people.ts";
import { node } from "../support/runs/workflow-app.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";
import { wrongClock } from "../support/wrong-clock.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { startYard } from "./yard.ts";

const hourSeconds = 3600;
const skewSeconds = 60;
const toleranceSeconds = 300;
const clocks = { slow: -hourSeconds * 1000, fast: 30 * 24 * hourSeconds * 1000 };
type Clock = keyof typeof clocks;

invariant("V30", {
  promise: "a wrong clock opens no door, and takes away no lease",
  rounds: { quick: 1, full: 6 },
  planted: "everything ends an hour later than it should",
  async check({ rounds, random, isPlanted }) {
    const cluster = await startCluster();
    try {
      const violations: string[] = [];
      const lateOf = () =>
        skewSeconds + 1 + random.below(hourSeconds - 2 * skewSeconds) - (isPlanted ? hourSeconds : 0);
      for (let round = 0; round < rounds; round++) {
        for (const [name, make] of Object.entries(createDoors(cluster)))
          violations.push(...(await tryDoor(name, make, { cluster, lateSeconds: lateOf() })));
        violations.push(...(await deliverAround(cluster, random)), ...(await keepLeases(cluster)));
      }
      return [...violations, ...(await findLongSessions(cluster))];
    } finally {
      await cluster.yard.stop();
    }
  },
});

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** A process whose clock is an hour behind and one whose clock is a month ahead. The suite and the database are right. */
async function startCluster() {
  const ports = { platform: await freePort(), gateway: await freePort() };
  const issuer = `http://localhost:${ports.gateway}`;
  const yard = await startYard({
    members: [],
    environment: {
      MCP_OAUTH_ISSUER_URL: issuer,
      MCP_OAUTH_RESOURCE_URL: issuer,
      SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "2",
      RATE_LIMIT_SIGN_IN_PER_MINUTE: "100000",
      RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "100000",
      RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "100000",
    },
  });
  const start = async (clock: Clock) => {
    const environment = wrongClock({ shiftMs: clocks[clock] });
    return (await yard.add("platform,gateway,worker", { environment, ...(clock === "slow" ? { ports } : {}) })).server;
  };
  const [slow, fast] = await Promise.all([start("slow"), start("fast")]);
  const person = await signUpOwner({ parts: yard.parts, browser: slow.browser }, "Ann");
  const path = `/api/organizations/${person.organizationId}`;
  const canvas = { nodes: [node("a", "set_fields", { fields: {} })], edges: [] };
  const { id: workflowId } = await yard.parts.workflows.create(person.organizationId, { name: "Listen", canvas }, null);
  const asked = { workflowId, kind: "webhook", name: "Hook", signature: "standard" };
  const { body: hook } = await person.browser.post(`${path}/triggers`, asked);
  return { yard, slow, fast, person, path, hook, team: await yard.createTeam("clocks"), issuer };
}

/** Something that is good until it ends: whether a process accepts it, and how to end it so many seconds ago. */
type Door = { isOpen: (side: SpawnedServer) => Promise<boolean>; end: (secondsAgo: number) => Promise<unknown> };
type MakeDoor = () => Promise<Door>;

async function tryDoor(
  name: string,
  make: MakeDoor,
  { cluster, lateSeconds }: { cluster: Cluster; lateSeconds: number },
) {
  const violations: string[] = [];
  if (!(await (await make()).isOpen(cluster.slow))) violations.push(`${name}: refused although it is good`);
  const door = await make();
  await door.end(lateSeconds);
  for (const clock of ["slow", "fast"] as const)
    if (await door.isOpen(cluster[clock]))
      violations.push(`${name}: accepted ${lateSeconds} s after its end by the ${clock} process`);
  return violations;
}

function createDoors(cluster: Cluster): Record<string, MakeDoor> {
  return { ...createOwnDoors(cluster), ...createOAuthDoors(cluster), ...createLinkDoors(cluster) };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const endAt = (secondsAgo: number) => `now() - interval '${secondsAgo} seconds'`;

/** The cookies of a browser, carried to another process. */
function at(server: SpawnedServer, { cookies }: Cluster["person"]["browser"]) {
  const browser = createBrowser(server.platformUrl);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

function createOwnDoors({ yard, slow, person, team }: Cluster): Record<string, MakeDoor> {
  return {
    async "an API key"() {
      const { id, key } = await yard.createKey(team.organizationId);
      return {
        isOpen: async ({ gatewayUrl }) =>
          (await createMcpClient(gatewayUrl, { "x-api-key": key }).modern("github", "tools/list")).status === 200,
        end: (secondsAgo) => yard.query(`UPDATE api_key SET expires_at = ${endAt(secondsAgo)} WHERE id = '${id}'`),
      };
    },
    async "a session"() {
      const { browser } = await signIn(slow, person.email);
      const { body } = await browser.get("/api/me/sessions");
      const { id } = body.data.find(({ current }: { current: boolean }) => current);
      return {
        isOpen: async (side) => (await at(side, browser).get("/api/me")).status === 200,
        end: (secondsAgo) => yard.query(`UPDATE session SET expires_at = ${endAt(secondsAgo)} WHERE id = '${id}'`),
      };
    },
  };
}

function createOAuthDoors({ yard, slow, person, issuer }: Cluster): Record<string, MakeDoor> {
  const client = createOAuthClient(issuer);
  const clientAt = ({ gatewayUrl }: SpawnedServer) => createOAuthClient(gatewayUrl);
  const endToken = (model: string, token: string) => (secondsAgo: number) =>
    yard.query(
      `UPDATE oauth_token SET expires_at = ${endAt(secondsAgo)},
         payload = regexp_replace(payload, '"exp":\\d+', '"exp":' || extract(epoch FROM ${endAt(secondsAgo)})::bigint)
       WHERE model = '${model}' AND id_sha256 = '\\x${sha256(token)}'`,
    );
  const connect = () => connectClient(client, person, { serverId: "system" });
  const ask = async () => {
    const { body } = await client.register({ redirect_uris: [redirectUri] });
    const { verifier, challenge } = createChallenge();
    const request = { response_type: "code", client_id: String(body.client_id), redirect_uri: redirectUri };
    const url = client.authorizeUrl({
      ...request,
      resource: client.resourceOf("system"),
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    return { consent: await openConsent(url, person), verifier, clientId: request.client_id };
  };
  return {
    async "an access token"() {
      const { tokens } = await connect();
      return {
        isOpen: async (side) =>
          (await clientAt(side).use(tokens.access_token).modern("system", "tools/list")).status === 200,
        end: endToken("AccessToken", tokens.access_token),
      };
    },
    async "a refresh token"() {
      const { tokens, clientId: client_id } = await connect();
      const request = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
      return {
        isOpen: async (side) => (await clientAt(side).token(request)).status === 200,
        end: endToken("RefreshToken", tokens.refresh_token),
      };
    },
    async "a code"() {
      const { consent, verifier: code_verifier, clientId: client_id } = await ask();
      const { answer } = await consent.answer({ approve: true, organizationId: person.organizationId });
      const code = answer.get("code") ?? "";
      const request = { grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id, code_verifier };
      return {
        isOpen: async (side) => (await clientAt(side).token(request)).status === 200,
        end: endToken("AuthorizationCode", code),
      };
    },
    async "a question to the user"() {
      const { consent } = await ask();
      const { browser } = await signIn(slow, person.email);
      const path = `/api/oauth/consent-requests/${consent.uid}`;
      return {
        isOpen: async (side) => (await at(side, browser).get(path)).status === 200,
        end: endToken("Interaction", consent.uid),
      };
    },
  };
}

function createLinkDoors({ yard, slow, person, path }: Cluster): Record<string, MakeDoor> {
  return {
    async "an invitation"() {
      const { body } = await person.browser.post(`${path}/invitations`, {
        email: `${randomUUID()}@example.com`,
        role: "member",
      });
      const token = new URL(body.link).searchParams.get("token");
      return {
        isOpen: async (side) => (await side.browser().get(`/api/invitations/${body.id}?token=${token}`)).status === 200,
        end: (secondsAgo) =>
          yard.query(`UPDATE invitation SET expires_at = ${endAt(secondsAgo)} WHERE id = '${body.id}'`),
      };
    },
    async "a link to a new password"() {
      const token = randomBytes(18).toString("base64url");
      const identifier = createHash("sha256").update(`reset-password:${token}`).digest("base64url");
      const { userId } = await yard.parts.identity.accounts.create({ email: `${randomUUID()}@example.com`, password });
      await yard.query(
        `INSERT INTO verification (id, identifier, value, expires_at)
         VALUES ('${randomUUID()}', '${identifier}', '${userId}', now() + interval '1 hour')`,
      );
      return {
        isOpen: async (side) =>
          (await side.browser().post("/api/password-reset/confirm", { token, newPassword: `${password} 2` })).status ===
          204,
        end: (secondsAgo) =>
          yard.query(`UPDATE verification SET expires_at = ${endAt(secondsAgo)} WHERE identifier = '${identifier}'`),
      };
    },
    async "the way back from a provider"() {
      const { browser } = await signIn(slow, person.email);
      const client = {
        kind: "oauth2",
        clientId: "client",
        clientSecret: "secret",
        tokenUrl: `${yard.provider.url}/token`,
      };
      const begun = await browser.post(`${path}/credentials/connect`, { type: "github", name: "New", data: client });
      const state = new URL(begun.body.authorizeUrl).searchParams.get("state") ?? "";
      return {
        async isOpen(side) {
          const { status, headers } = await at(side, browser).get(`/api/oauth/callback?state=${state}&code=c`);
          return status < 400 && !headers.get("location")?.includes("problem=oauth_expired");
        },
        end: (secondsAgo) =>
          yard.query(
            `UPDATE oauth_state SET expires_at = ${endAt(secondsAgo)} WHERE state_hash = '\\x${sha256(state)}'`,
          ),
      };
    },
  };
}

/** A delivery that was signed a little ago, or is from a clock a little ahead, is believed; others are not, by either process. */
async function deliverAround({ slow, fast, hook }: Cluster, random: Random): Promise<string[]> {
  const violations: string[] = [];
  const near = () => random.below(toleranceSeconds - skewSeconds);
  const far = () => toleranceSeconds + skewSeconds + random.below(2 * hourSeconds);
  for (const [name, { platformUrl }] of Object.entries({ slow, fast }))
    for (const [secondsAgo, expected] of [
      [near(), 202],
      [-near(), 202],
      [far(), 401],
      [-far(), 401],
      [-clocks[name as Clock] / 1000, 401],
    ] as const) {
      const headers = signStandard(hook.signingSecret, "{}", {
        id: randomUUID(),
        at: new Date(Date.now() - secondsAgo * 1000),
      });
      const url = platformUrl + new URL(hook.webhookUrl).pathname;
      const { status } = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: "{}",
      });
      if (status !== expected)
        violations.push(`a delivery signed ${secondsAgo} s ago was answered ${status} by the ${name} process`);
    }
  return violations;
}

/** What one process holds, no other takes for abandoned. */
async function keepLeases({ yard, slow, fast, team }: Cluster): Promise<string[]> {
  const { provider } = yard;
  provider.forget();
  const goOn = provider.hold();
  const nonces = Array.from({ length: 6 }, () => randomUUID());
  const calls = nonces.map((nonce, index) => callWith(nonce, index % 2 ? fast : slow, team));
  const started = await fetch(`${slow.platformUrl}/task-runner/trigger/${team.workflowId}`, {
    method: "POST",
    headers: { "x-api-key": team.key.key, "content-type": "application/json" },
    body: JSON.stringify({ prompt: nonces[0] }),
  });
  const { id } = (await started.json()) as { id: string };
  await provider.whenRunning(2, 10_000);
  await delay(1_500);
  const most = provider.seen.most;
  goOn();
  const answers = await Promise.all(calls);
  const ended = await whenEnded(yard, id);
  const titles = provider.requests.map(({ title }) => title);
  return [
    ...(most > 2 ? [`${most} calls at once with 2 slots`] : []),
    ...answers
      .filter(({ json }) => json.result?.structuredContent === undefined)
      .map(({ text }) => `a call was answered ${text}`),
    ...(ended === "succeeded" ? [] : [`a run is ${ended}`]),
    ...titles
      .filter((title, index) => titles.indexOf(title) !== index)
      .map((title) => `the provider was asked twice for ${title}`),
  ];
}

async function whenEnded({ query }: Cluster["yard"], id: string): Promise<string | undefined> {
  for (const untilMs = performance.now() + 20_000; ; await delay(50)) {
    const [run] = await query<{ status: string }>(`SELECT status FROM run WHERE id = '${id}'`);
    if (performance.now() > untilMs || ["succeeded", "failed", "cancelled"].includes(run?.status ?? ""))
      return run?.status;
  }
}

/** Of a process whose clock is ahead a session lasts no longer than of others. */
async function findLongSessions({ yard, fast, person }: Cluster): Promise<string[]> {
  await fast.browser().post("/api/sign-in", { email: person.email, password });
  const rows = await yard.query<{ days: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float8 / 86400 AS days FROM session WHERE expires_at > now() + interval '7 days 60 seconds'`,
  );
  return rows.map(({ days }) => `a session lasts ${days} days`);
}
