import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { Browser } from "../support/browser-client.ts";
import { freePort } from "../support/free-port.ts";
import { callWith, readIssueRecords } from "../support/gateway/gateway-pair.ts";
import { createMcpClient, type RpcAnswer } from "../support/gateway/mcp-client.ts";
import { connectClient, createOAuthClient, redirectUri } from "../support/oauth/oauth-client.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { invariant } from "./invariant.ts";
import { type Person, startYard, type Team, type Yard } from "./yard.ts";

let yard: Yard;
let team: Team;
let ann: Person;
let bob: Person;
let path: string;
let issuerUrl: string;
let clientId: string;

beforeAll(async () => {
  const ports = { platform: await freePort(), gateway: await freePort() };
  issuerUrl = `http://localhost:${ports.gateway}`;
  yard = await startYard({
    members: ["platform", "platform"],
    environment: {
      MCP_OAUTH_ISSUER_URL: issuerUrl,
      MCP_OAUTH_RESOURCE_URL: issuerUrl,
      RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "1000000",
    },
  });
  await Promise.all([yard.add("gateway", { ports }), yard.add("gateway")]);
  team = await yard.createTeam("changing");
  path = `/api/organizations/${team.organizationId}`;
  [ann, bob] = [
    await yard.signUp("Ann", team.organizationId, "owner"),
    await yard.signUp("Bob", team.organizationId, "admin"),
  ];
  const { body } = await createOAuthClient(issuerUrl).register({
    redirect_uris: [redirectUri],
    client_name: "Test client",
  });
  clientId = String(body.client_id);
}, 300_000);
afterAll(() => yard?.stop(), 120_000);

type Use = { name: string; isAllowed: () => Promise<boolean> };

/** A tool call at each gateway. */
const callsWith = (headers: Record<string, string>): Use[] =>
  yard.of("gateway").map(({ gatewayUrl }, index) => ({
    name: `gateway ${index}`,
    async isAllowed() {
      const client = createMcpClient(gatewayUrl, headers);
      const { json } = await client.modern("system", "tools/call", { name: "system_date_time", arguments: {} });
      return json.result !== undefined && !json.result.isError;
    },
  }));

/** A request for a run at each platform. Of a workflow that is not there, so that nothing is started. */
const triggersWith = (key: string): Use[] =>
  yard.of("platform").map(({ platformUrl }, index) => ({
    name: `platform ${index}`,
    async isAllowed() {
      const url = `${platformUrl}/task-runner/trigger/${randomUUID()}`;
      return (await fetch(url, { method: "POST", headers: { "x-api-key": key } })).status === 404;
    },
  }));

const reads = ({ browsers }: Person, address: string): Use[] =>
  browsers.map((browser, index) => ({
    name: `platform ${index}`,
    isAllowed: async () => (await browser.get(address)).status === 200,
  }));

/** All at once, sent in the moment in which this is called. */
async function findUses(uses: Use[], wanted: boolean): Promise<string[]> {
  const answers = await Promise.all(
    uses.map(async ({ name, isAllowed }) => ({ name, isWanted: (await isAllowed()) === wanted })),
  );
  return answers.flatMap(({ name, isWanted }) => (isWanted ? [name] : []));
}

type Change = { uses: Use[]; change: () => Promise<{ status: number }> };

/** What may be done before a change may not be done by the first request after its answer, at any process. */
async function findLateUses(kind: string, { uses, change }: Change): Promise<string[]> {
  const refusedBefore = await findUses(uses, false);
  const { status } = await change();
  const allowedAfter = await findUses(uses, true);
  return [
    ...refusedBefore.map((name) => `${kind}: refused by ${name} before the change`),
    ...(status < 300 ? [] : [`${kind}: the change was answered with ${status}`]),
    ...allowedAfter.map((name) => `${kind}: allowed by ${name} after the change`),
  ];
}

async function createKey(browser: Browser, organization = path): Promise<{ id: string; key: string }> {
  const { body } = await browser.post(`${organization}/api-keys`, {
    name: "test",
    scopes: ["mcp:invoke", "workflows:trigger"],
  });
  return body as { id: string; key: string };
}

invariant("V11", {
  promise: "a revoked or regenerated key is refused by every process from the next request on",
  rounds: { quick: 30, full: 1_000 },
  planted: "the database keeps keys as they were",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted)
      await yard.plant("BEFORE UPDATE OF hash ON api_key", "NEW.hash := OLD.hash; NEW.revoked_at := NULL; RETURN NEW;");
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const browser = random.pick(ann.browsers);
      const { id, key } = await createKey(browser);
      const [kind, change] = random.pick([
        ["revoked", () => browser.delete(`${path}/api-keys/${id}`)],
        ["regenerated", () => browser.post(`${path}/api-keys/${id}/regenerate`)],
      ] as const);
      violations.push(
        ...(await findLateUses(kind, { uses: [...callsWith({ "x-api-key": key }), ...triggersWith(key)], change })),
      );
    }
    return violations;
  },
});

invariant("V12", {
  promise: "a call that began before its key was revoked is answered and recorded once, or refused without a trace",
  rounds: { quick: 10, full: 200 },
  planted: "the database forgets how calls ended",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted) await yard.plant("BEFORE UPDATE OF status ON tool_call", "NEW.status := OLD.status; RETURN NEW;");
    const { provider } = yard;
    provider.forget();
    const answers = new Map<string, RpcAnswer>();
    const during = await createKey(ann.browsers[0]);
    const release = provider.hold();
    const running = yard
      .of("gateway")
      .map((gateway, index) => callWith(`during ${index}`, gateway, { ...team, key: { ...team.key, ...during } }));
    await provider.whenRunning(2, 10_000);
    await ann.browsers[0].delete(`${path}/api-keys/${during.id}`);
    release();
    for (const [index, answer] of (await Promise.all(running)).entries()) answers.set(`during ${index}`, answer);
    const violations = [...answers].flatMap(([nonce, { status }]) =>
      status === 200 ? [] : [`${nonce} was answered with ${status}`],
    );

    provider.takeTime(3);
    for (let round = 0; round < rounds; round++) {
      const browser = random.pick(ann.browsers);
      const key = await createKey(browser);
      const callUntilRefused = async (gateway: SpawnedServer) => {
        for (let status = 200; status === 200; ) {
          const nonce = randomUUID();
          const answer = await callWith(nonce, gateway, { ...team, key: { ...team.key, ...key } });
          answers.set(nonce, answer);
          status = answer.status;
        }
      };
      const clients = yard.of("gateway").flatMap((gateway) => [1, 2, 3].map(() => callUntilRefused(gateway)));
      await delay(random.below(80));
      await browser.delete(`${path}/api-keys/${key.id}`);
      await Promise.all(clients);
    }
    const records = Map.groupBy(await readIssueRecords({ database: yard }, team), ({ asked }) => asked);
    const asked = Map.groupBy(provider.requests, ({ title }) => title);
    for (const [nonce, { status }] of answers) {
      const found = (records.get(nonce) ?? []).map((record) => `${record.status} ${record.said}`).join();
      const seen = `${status}, recorded as "${found}", the provider was asked ${asked.get(nonce)?.length ?? 0} times`;
      const isConsistent = [
        `200, recorded as "success ${nonce}", the provider was asked 1 times`,
        '401, recorded as "", the provider was asked 0 times',
      ];
      if (!isConsistent.includes(seen)) violations.push(`${nonce}: ${seen}`);
    }
    return violations;
  },
});

type MakeChange = (at: Browser) => Promise<Change>;

/** An MCP client that acts for a person. */
async function connect(organizationId: string, person: Person) {
  const oauth = createOAuthClient(issuerUrl);
  const browser = person.browsers[0];
  const { tokens } = await connectClient(oauth, { browser, organizationId }, { serverId: "system", clientId });
  return callsWith({ authorization: `Bearer ${tokens.access_token}` });
}

/** Bob, who is a member again. */
async function rejoin(): Promise<string> {
  const { data } = (await ann.browsers[0].get(`${path}/members`)).body;
  const member = data.find(({ email }: { email: string }) => email === bob.email);
  if (!member) return (await yard.parts.identity.organizations.addMember(team.organizationId, bob.email, "admin")).id;
  await ann.browsers[0].patch(`${path}/members/${member.id}`, { role: "admin" });
  return member.id;
}

const changes: Record<string, MakeChange> = {
  async "the tools of a key"(at) {
    const { id, key } = await createKey(at);
    return {
      uses: callsWith({ "x-api-key": key }),
      change: () => at.patch(`${path}/api-keys/${id}`, { toolRules: ["system_wait"] }),
    };
  },
  async "a lower role"(at) {
    const memberId = await rejoin();
    return {
      uses: [...(await connect(team.organizationId, bob)), ...reads(bob, `${path}/invitations`)],
      change: () => at.patch(`${path}/members/${memberId}`, { role: "viewer" }),
    };
  },
  async "the end of a membership"(at) {
    const memberId = await rejoin();
    return {
      uses: [...(await connect(team.organizationId, bob)), ...reads(bob, path)],
      change: () => at.delete(`${path}/members/${memberId}`),
    };
  },
  async "the end of a connection"(at) {
    const uses = await connect(team.organizationId, ann);
    const { data } = (await at.get(`${path}/connections`)).body;
    return { uses, change: () => at.delete(`${path}/connections/${data[0].id}`) };
  },
  async "the end of an organization"(at) {
    const { id } = (await at.post("/api/organizations", { name: "Short-lived" })).body;
    const { key } = await createKey(at, `/api/organizations/${id}`);
    const uses = [
      ...callsWith({ "x-api-key": key }),
      ...(await connect(id, ann)),
      ...triggersWith(key),
      ...reads(ann, `/api/organizations/${id}`),
    ];
    return { uses, change: () => at.delete(`/api/organizations/${id}`) };
  },
};

invariant("V13", {
  promise:
    "a change of tools, role, membership, connection or organization is in force at every process from the next request on",
  rounds: { quick: 20, full: 1_000 },
  planted: "the database keeps the tools of a key as they were",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted)
      await yard.plant("BEFORE UPDATE OF tool_rules ON api_key", "NEW.tool_rules := OLD.tool_rules; RETURN NEW;");
    const violations: string[] = [];
    const kinds = Object.entries(changes);
    for (let round = 0; round < rounds; round++) {
      const [kind, make] = kinds[round % kinds.length] as [string, MakeChange];
      violations.push(...(await findLateUses(kind, await make(random.pick(ann.browsers)))));
    }
    return violations;
  },
});
