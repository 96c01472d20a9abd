import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { readConfig } from "../../src/config.ts";
import type { Role as MemberRole } from "../../src/identity/wire.ts";
import { openParts } from "../../src/start-up/open-parts.ts";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres.ts";
import type { Browser } from "../support/browser-client.ts";
import type { TestServer } from "../support/global-setup.ts";
import { password } from "../support/people.ts";
import { postgresPid } from "../support/processes.ts";
import { startCountingProvider } from "../support/providers/counting-provider.ts";
import { edges, node } from "../support/runs/workflow-app.ts";
import { createDataDir, type Ended, type SpawnedServer, startServer } from "../support/spawned-server.ts";
import { startDatabaseProxy } from "../support/storage/database-proxy.ts";
import { runSql, silentLog } from "../support/storage/test-postgres.ts";
import { busySettings, testKeys } from "../support/test-settings.ts";

export type Yard = Awaited<ReturnType<typeof startYard>>;
export type Team = Awaited<ReturnType<Yard["createTeam"]>>;
export type Person = Awaited<ReturnType<Yard["signUp"]>>;
export type Role = "gateway" | "platform" | "worker" | "platform,gateway,worker";
export type Member = { role: Role; server: SpawnedServer; environment: Record<string, string> };

const roles: Role[] = ["gateway", "gateway", "platform", "platform", "worker", "worker"];
export const nodesOfRun = ["first", "left", "right", "last"];

// Commits must outlive a killed server, not a machine without power.
const settings = { fsync: "off", synchronous_commit: "on", max_connections: "200" };

type Options = { environment?: Record<string, string>; members?: Role[] };

/**
 * The product as a cluster: two processes of each role on one PostgreSQL of their own, which they reach through a proxy that can
 * fail, and a provider that writes down every request.
 */
export async function startYard({ environment: given = {}, members: wanted = roles }: Options = {}) {
  const folder = createDataDir();
  const { dataDir } = folder;
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, settings });
  const proxy = await startDatabaseProxy(postgres.target as TestServer);
  const provider = await startCountingProvider();
  const { user, host, port, database } = proxy.target;
  const environment = { ...testKeys, ...busySettings, ...given };
  // The suite's own way to the database does not lead through the proxy.
  const direct = `postgres://${user}@localhost/${database}?host=${encodeURIComponent((postgres.target as TestServer).host)}&port=${(postgres.target as TestServer).port}`;
  const parts = await openParts({
    config: readConfig({ ...environment, DATABASE_URL: direct, SWITCHYARD_DATA_DIR: dataDir }),
    log: silentLog,
  });
  const served = { ...environment, DATABASE_URL: `postgres://${user}@${host}:${port}/${database}?sslmode=disable` };
  const start = (role: Role, ports?: SpawnedServer["ports"], own: Record<string, string> = {}) =>
    startServer({ dataDir, roles: role, environment: { ...served, ...own }, ...(ports ? { ports } : {}) });
  const isReachable = () =>
    runSql(proxy.target, "SELECT 1").then(
      () => true,
      () => false,
    );
  const whenReachable = async () => {
    while (!(await isReachable())) await delay(50);
  };
  const members: Member[] = [];
  const stop = async () => {
    await Promise.all(members.map(({ server }) => server.kill()));
    proxy.close();
    await parts.close();
    await provider.stop();
    await postgres.close();
    await folder.remove();
  };
  const join = async (role: Role) => void members.push({ role, server: await start(role), environment: {} });
  // Two at a time: all at once would take each of them longer than a start may take.
  for (let first = 0; first < wanted.length; first += 2) {
    const joined = await Promise.allSettled(wanted.slice(first, first + 2).map(join));
    const failed = joined.find(({ status }) => status === "rejected");
    if (!failed) continue;
    await stop();
    throw (failed as PromiseRejectedResult).reason;
  }
  const createKey = (organizationId: string) =>
    parts.identity.apiKeys.create(organizationId, {
      name: "test",
      scopes: ["mcp:invoke", "workflows:trigger"],
      createdBy: null,
    });

  return {
    proxy,
    provider,
    parts,
    members,
    start,
    createKey,
    environment: served,
    dataDir,
    direct,

    /** All processes of a role. */
    of: (role: Role): SpawnedServer[] => members.flatMap((member) => (member.role === role ? [member.server] : [])),

    /** One more process, with settings of its own. */
    async add(
      role: Role,
      { ports, environment: own = {} }: { ports?: SpawnedServer["ports"]; environment?: Record<string, string> } = {},
    ) {
      const member: Member = { role, server: await start(role, ports, own), environment: own };
      members.push(member);
      return member;
    },

    /** SQL behind the product's back. */
    query: <Row extends object>(text: string, values: unknown[] = []) =>
      runSql(postgres.target, text, values) as Promise<Row[]>,

    /** A trigger that does wrong behind the product's back until the test is over: `plant("BEFORE DELETE ON member", "RETURN NULL;")`. */
    async plant(moment: string, statements: string): Promise<void> {
      const create = `CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} END $$`;
      await runSql(
        postgres.target,
        `${create}; CREATE TRIGGER planted ${moment} FOR EACH ROW EXECUTE FUNCTION planted()`,
      );
      onTestFinished(async () => void (await runSql(postgres.target, "DROP FUNCTION planted CASCADE")));
    },

    /** Ends a process and starts it again at the same ports; gives back how it ended. */
    async restart(member: Member, signal: "SIGKILL" | "SIGTERM"): Promise<Ended> {
      member.server.child.kill(signal);
      const ended = await member.server.ended;
      member.server = await startAgain(
        () => start(member.role, member.server.ports, member.environment),
        whenReachable,
      );
      return ended;
    },

    /** PostgreSQL is gone for a moment, with all its sessions; it starts again by itself. */
    crashDatabase: (signal: "SIGKILL" | "SIGINT") => void process.kill(postgresPid(dataDir) ?? 0, signal),

    /** An organization with a key, two accounts at the provider, of which one is the default, and a workflow whose every node asks the provider. */
    async createTeam(name: string) {
      const organizationId = newId();
      await runSql(postgres.target, `INSERT INTO organization (id, name) VALUES ('${organizationId}', '${name}')`);
      const connect = (account: string) => {
        const data = { kind: "bearer", accessToken: `token-of-${account}`, baseUrl: provider.url };
        return parts.vault.credentials.create(organizationId, { type: "github", name: account, data, createdBy: null });
      };
      const [credential, other] = [await connect(name), await connect(`${name}-other`)];
      await parts.vault.defaults.set({ organizationId, apiKeyId: null, type: "github" }, credential.id);
      const ask = (id: string) =>
        node(
          id,
          "github_create_issue",
          { owner: "acme", repo: "site", title: `{{ $trigger.prompt }} ${id}` },
          // So that every run comes to a good end; what nobody allowed to be repeated is the matter of V32.
          { settings: { repeatAfterInterruption: true } },
        );
      const canvas = {
        nodes: nodesOfRun.map(ask),
        edges: edges("first>left", "first>right", "left>last", "right>last"),
      };
      const { id: workflowId } = await parts.workflows.create(organizationId, { name: "Ask often", canvas }, null);
      const key = await createKey(organizationId);
      return {
        name,
        organizationId,
        reference: credential.reference,
        otherReference: other.reference,
        key,
        workflowId,
      };
    },

    /** A member of an organization, signed in at each platform. */
    async signUp(name: string, organizationId: string, role: MemberRole) {
      const person = { name, email: `${name.toLowerCase()}@example.com`, password };
      await parts.identity.accounts.create(person);
      const { id: memberId } = await parts.identity.organizations.addMember(organizationId, person.email, role);
      const browsers = members.flatMap((member) => (member.role === "platform" ? [member.server.browser()] : [])) as [
        Browser,
        ...Browser[],
      ];
      for (const browser of browsers) {
        const { status } = await browser.post("/api/sign-in", person);
        if (status !== 200) throw new Error(`signing in as ${name} answered ${status}`);
      }
      return { browsers, memberId, email: person.email };
    },

    stop,
  };
}

/** A process that finds no database says so and ends; whoever manages it starts it again, best when there is one. */
async function startAgain(
  start: () => Promise<SpawnedServer>,
  whenReachable: () => Promise<void>,
  tries = 20,
): Promise<SpawnedServer> {
  await whenReachable();
  try {
    return await start();
  } catch (error) {
    if (tries === 0 || !(error as Error).message.includes("The database cannot be reached")) throw error;
    return await startAgain(start, whenReachable, tries - 1);
  }
}
