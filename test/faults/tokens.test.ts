import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../support/free-port.ts";
import { callWith, codeIn } from "../support/gateway/gateway-pair.ts";
import { startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import {
  connectClient,
  createChallenge,
  createOAuthClient,
  type OAuthClient,
  openConsent,
  redirectUri,
} from "../support/oauth/oauth-client.ts";
import { signUpOwner } from "../support/people.ts";
import { roundsOf } from "../support/rounds.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";
import { type Member, startYard, type Yard } from "./yard.ts";

let yard: Yard;
let issuer: string;
let provider: Awaited<ReturnType<typeof startFakeOAuth>>;
let person: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  const ports = { platform: await freePort(), gateway: await freePort() };
  issuer = `http://localhost:${ports.gateway}`;
  const open = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "100", RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "100000" };
  const environment = {
    MCP_OAUTH_ISSUER_URL: issuer,
    MCP_OAUTH_RESOURCE_URL: issuer,
    RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "100000",
  };
  [yard, provider] = await Promise.all([
    startYard({ members: [], environment: { ...environment, ...open } }),
    startFakeOAuth(),
  ]);
  const [first] = await Promise.all([yard.add("platform,gateway,worker", { ports }), yard.add("gateway")]);
  person = await signUpOwner({ parts: yard.parts, browser: first.server.browser }, "Ann");
}, 90_000);
afterAll(async () => {
  await yard?.stop();
  await provider?.stop();
});

const gateways = () => yard.of("platform,gateway,worker").concat(yard.of("gateway"));
const gatewayAt = (index: number) => gateways()[index % 2] as ReturnType<typeof gateways>[number];

type Caller = Parameters<typeof callWith>[2];
type Connection = { id: string; caller: Caller };

/** An account at the provider whose token has just expired. */
async function connectAccount(): Promise<Connection> {
  const { organizationId } = person;
  const data = { kind: "oauth2", ...provider.connection() };
  const { id, reference } = await yard.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "A",
    data,
    createdBy: null,
  });
  return {
    id,
    caller: {
      name: "A",
      organizationId,
      workflowId: "",
      reference,
      key: await yard.createKey(organizationId),
    } as Caller,
  };
}

const callWithAccount = (index: number, { caller }: Connection) => callWith("issue", gatewayAt(index), caller);
const isFine = ({ json }: Awaited<ReturnType<typeof callWithAccount>>) => json.result?.structuredContent !== undefined;

/** Opens issues for those with a token that is good. */
function openIssues(): void {
  provider.reset();
  provider.answerApi = ({ authorization }) =>
    provider.accessTokens.has(String(authorization).replace(/^Bearer /, ""))
      ? { status: 201, body: '{"number":1,"title":"issue"}' }
      : { status: 401, body: '{"message":"bad token"}' };
}

invariant("V21", {
  promise:
    "an expired token is refreshed once for all, and a crash before saving leaves it working or marked for reconnecting",
  rounds: { quick: 1, full: 5 },
  planted: "somebody else uses the refresh token at the same time",
  async check({ rounds, random, isPlanted }) {
    const violations = await stampede(rounds, random, isPlanted);
    for (let round = 0; round < rounds; round++)
      for (const rotates of [true, false])
        violations.push(
          ...(await crashBeforeSaving({
            rotates,
            random,
            isLeaseWaitedFor: round === 0 && roundsOf(0, 1) === 1 && rotates,
          })),
        );
    return violations;
  },
});

/** 50 calls in two processes, again and again with the token of the time before. */
async function stampede(rounds: number, random: Random, isPlanted: boolean): Promise<string[]> {
  const violations: string[] = [];
  openIssues();
  const account = await connectAccount();
  for (let round = 0; round < rounds; round++) {
    provider.delayMs = 50 + random.below(300);
    await yard.query(`UPDATE credential SET token_expires_at = now() - interval '1 second' WHERE id = '${account.id}'`);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => callWithAccount(index, account)));
    violations.push(...answers.filter((answer) => !isFine(answer)).map(({ text }) => `a call was answered ${text}`));
    if (isPlanted) await refreshBesides();
  }
  const tokens = provider.tokenRequests.map(({ parameters }) => parameters.refresh_token);
  if (new Set(tokens).size < rounds) violations.push(`${rounds} expired tokens were refreshed ${tokens.length} times`);
  return [
    ...violations,
    ...tokens.filter((token, index) => tokens.indexOf(token) !== index).map(() => "a token was refreshed twice"),
  ];
}

async function refreshBesides(): Promise<void> {
  const { parameters } = provider.tokenRequests[0] as (typeof provider.tokenRequests)[number];
  await fetch(`${provider.url}/token`, { method: "POST", body: new URLSearchParams(parameters) });
}

type Crash = { rotates: boolean; random: Random; isLeaseWaitedFor: boolean };

/** The provider has answered, the table is locked so that nothing can be saved, and the process is killed. */
async function crashBeforeSaving({ rotates, random, isLeaseWaitedFor }: Crash): Promise<string[]> {
  openIssues();
  provider.rotates = rotates;
  const accounts = await Promise.all(Array.from({ length: 3 }, connectAccount));
  const victim = random.pick(yard.members);
  const index = gateways().indexOf(victim.server);
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  provider.gate = promise;
  const calls = accounts.map((account) => callWithAccount(index, account).catch(() => undefined));
  await until(() => provider.tokenRequests.length === accounts.length);
  const lock = await lockCredentials();
  try {
    answer();
    await until(async () => (await lock.countWaiting()) === accounts.length);
    await endSaving(victim, lock);
  } finally {
    await lock.release();
  }
  await Promise.all(calls);
  const restarted = yard.restart(victim, "SIGKILL");
  // Its right to refresh ends by itself; only once is that waited for.
  if (!isLeaseWaitedFor)
    await yard.query("UPDATE credential SET refreshing_until = now() WHERE refreshing_until IS NOT NULL");
  const judged = await Promise.all(accounts.map((account) => judgeAfterCrash(index + 1, account, rotates)));
  await restarted;
  return judged.flat();
}

async function endSaving({ server }: Member, lock: Awaited<ReturnType<typeof lockCredentials>>): Promise<void> {
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  // Otherwise the database would still do what the dead process asked for.
  await lock.endWaiting();
}

async function judgeAfterCrash(index: number, account: Connection, rotates: boolean): Promise<string[]> {
  const answer = await callWithAccount(index, account);
  if (isFine(answer)) return [];
  const [row] = await yard.query<{ health: string }>(`SELECT health FROM credential WHERE id = '${account.id}'`);
  const isMarked = codeIn(answer) === "credential_needs_reconnect" && row?.health === "needs_reconnect";
  if (!rotates || !isMarked) return [`after a crash (${rotates ? "" : "not "}rotating) ${row?.health}: ${answer.text}`];
  const place = { organizationId: person.organizationId, credentialId: account.id };
  await yard.parts.vault.credentials.update(place, { data: provider.connection() });
  const again = await callWithAccount(index, account);
  return isFine(again) ? [] : [`connected again, but answered ${again.text}`];
}

/** Credentials can be read but not changed until it is released. */
async function lockCredentials() {
  const client = new pg.Client({ connectionString: yard.direct });
  await client.connect();
  await client.query("BEGIN; LOCK TABLE credential IN SHARE MODE");
  const waiting = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'update "credential"%'`;
  return {
    countWaiting: async () => (await yard.query(`SELECT pid ${waiting}`)).length,
    endWaiting: () => yard.query(`SELECT pg_terminate_backend(pid, 5000) ${waiting}`),
    release: () => client.end(),
  };
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (const untilMs = performance.now() + 30_000; !(await isReached()); await delay(10))
    if (performance.now() > untilMs) throw new Error("what was waited for did not come");
}

invariant("V22", {
  promise: "a code and a refresh token have one winner, and a second use ends the family",
  rounds: { quick: 1, full: 10 },
  planted: "the database forgets that a code was used",
  async check({ rounds, isPlanted }) {
    const violations: string[] = [];
    if (isPlanted) await yard.query(forgetUse);
    for (let round = 0; round < rounds; round++) {
      violations.push(...(await raceForCode()), ...(await raceForRefresh()));
      await yard.restart(yard.members[1] as Member, "SIGKILL");
      violations.push(...(await repeatUse()));
    }
    return violations;
  },
});

const forgetUse = `
  CREATE FUNCTION forget_use() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.consumed_at := NULL; RETURN NEW; END';
  CREATE TRIGGER forget_use BEFORE UPDATE ON oauth_token FOR EACH ROW WHEN (NEW.model = 'AuthorizationCode') EXECUTE FUNCTION forget_use()`;

/** The same issuer, reached through the one process or the other. */
const clientAt = (index: number): OAuthClient => createOAuthClient(issuer, gatewayAt(index).gatewayUrl);
const twenty = <Result>(ask: (client: OAuthClient) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => ask(clientAt(index))));
const works = async (index: number, token: string) => {
  const client = createOAuthClient(gatewayAt(index).gatewayUrl);
  return (await client.use(token).modern("system", "tools/list")).status === 200;
};

let raced: { request: Record<string, string>; token: string };

async function raceForCode(): Promise<string[]> {
  const client = clientAt(0);
  const { body } = await client.register({ redirect_uris: [redirectUri] });
  const { verifier: code_verifier, challenge } = createChallenge();
  const client_id = String(body.client_id);
  const asked = { response_type: "code", client_id, redirect_uri: redirectUri, resource: client.resourceOf("system") };
  const url = client.authorizeUrl({ ...asked, code_challenge: challenge, code_challenge_method: "S256" });
  const { answer } = await (await openConsent(url, person)).answer({
    approve: true,
    organizationId: person.organizationId,
  });
  const code = answer.get("code") ?? "";
  const request = { grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id, code_verifier };
  const answers = await twenty((one) => one.token(request));
  const winners = answers.filter(({ status }) => status === 200);
  raced = { request, token: winners[0]?.body.access_token ?? "" };
  const others = answers.filter(({ status }) => status !== 200 && status !== 400);
  return [
    ...(winners.length === 1 ? [] : [`${winners.length} of 20 got tokens for one code`]),
    ...others.map(({ status }) => `a code was answered ${status}`),
  ];
}

let renewed: { clientId: string; first: string; last: { access: string; refresh: string } };

async function raceForRefresh(): Promise<string[]> {
  const violations: string[] = [];
  const { tokens, clientId: client_id } = await connectClient(clientAt(0), person, { serverId: "system" });
  let current = tokens.refresh_token;
  let access = tokens.access_token;
  for (let turn = 0; turn < 3; turn++) {
    const answers = await twenty((one) =>
      one.token({ grant_type: "refresh_token", refresh_token: current, client_id }),
    );
    const successors = new Set(
      answers.map(({ status, body }) => `${status} ${body.access_token} ${body.refresh_token}`),
    );
    if (successors.size !== 1) violations.push(`${successors.size} different answers to 20 refreshes with one token`);
    ({ access_token: access = "", refresh_token: current = "" } = answers[0]?.body ?? {});
    if (!(await works(turn, access))) violations.push("the refreshed token does not work");
  }
  const [{ count } = { count: 0 }] = await yard.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM oauth_token WHERE model = 'RefreshToken' AND consumed_at IS NULL
       AND connection_id = (SELECT id FROM oauth_connection WHERE client_id = '${client_id}')`,
  );
  if (count !== 1) violations.push(`${count} refresh tokens of one chain can be used`);
  renewed = { clientId: client_id, first: tokens.refresh_token, last: { access, refresh: current } };
  return violations;
}

/** After a restart, and later than a repeated request could come. */
async function repeatUse(): Promise<string[]> {
  await yard.query(
    "UPDATE oauth_token SET consumed_at = consumed_at - interval '1 minute' WHERE consumed_at IS NOT NULL",
  );
  const refresh = (refresh_token: string) =>
    clientAt(1).token({ grant_type: "refresh_token", refresh_token, client_id: renewed.clientId });
  const code = await clientAt(1).token(raced.request);
  const first = await refresh(renewed.first);
  return [
    ...(code.body.error === "invalid_grant" ? [] : [`a used code was answered ${code.status}`]),
    ...((await works(0, raced.token)) ? ["the tokens of a code that was used twice still work"] : []),
    ...(first.body.error === "invalid_grant" ? [] : [`a used refresh token was answered ${first.status}`]),
    ...((await works(0, renewed.last.access)) ? ["the access token of a family with a thief still works"] : []),
    ...((await refresh(renewed.last.refresh)).status === 400
      ? []
      : ["the refresh token of a family with a thief still works"]),
  ];
}
