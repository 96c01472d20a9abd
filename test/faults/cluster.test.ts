import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { callWith, saidIn, startClients } from "../support/gateway/gateway-pair.ts";
import { roundsOf } from "../support/rounds.ts";
import { node } from "../support/runs/workflow-app.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import { checkOutages } from "./database-outages.ts";
import { invariant } from "./invariant.ts";
import { requestRun } from "./request-run.ts";
import { checkDraining, checkRollingRestart } from "./rolling-restart.ts";
import { type Role, startYard, type Team, type Yard } from "./yard.ts";

const slots = 4;
const leaseMs = 10_000;
let yard: Yard;

beforeAll(async () => {
  yard = await startYard({ environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(slots) } });
}, 300_000);
afterAll(() => yard?.stop(), 120_000);

/** A workflow that asks the provider for one thing at a time. */
async function createSmallWorkflow({ organizationId }: Team): Promise<string> {
  const nodes = [node("only", "github_create_issue", { owner: "acme", repo: "site", title: "run" })];
  return (await yard.parts.workflows.create(organizationId, { name: "Small", canvas: { nodes, edges: [] } }, null)).id;
}

const startCrowd = (team: Team) => yard.of("gateway").map((gateway) => startClients(6, gateway, team));

/** All are dead from one moment on; two at a time come back. */
async function restartAll(roles: Role[]): Promise<void> {
  const members = yard.members.filter(({ role }) => roles.includes(role));
  for (const { server } of members) server.child.kill("SIGKILL");
  for (let first = 0; first < members.length; first += 2)
    await Promise.all(members.slice(first, first + 2).map((member) => yard.restart(member, "SIGKILL")));
}

invariant("V6", {
  promise:
    "slots that calls and runs lost with their killed processes are all in use again within a lease and two seconds",
  rounds: { quick: 1, full: 5 },
  planted: "the database keeps the slots of the dead",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted) await yard.plant("BEFORE DELETE ON slot_worker", "RETURN NULL;");
    const { provider } = yard;
    provider.takeTime(50);
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const team = await yard.createTeam(`crowd-${round}`);
      const workflowId = await createSmallWorkflow(team);
      const crowd = startCrowd(team);
      await Promise.all(yard.of("platform").map((platform) => requestRun(platform, { ...team, workflowId }, "run")));
      await provider.whenRunning(slots, 10_000);
      await delay(random.below(500));
      const restarting = restartAll(["gateway", "worker"]);
      const killedAt = performance.now();
      await Promise.all([restarting, ...crowd.map(({ stop }) => stop())]);
      provider.forget();
      const again = startCrowd(team);
      // A busy machine may need that long to start them.
      const limitMs = Math.max(killedAt + leaseMs + 2_000 - performance.now(), roundsOf(5_000, 0));
      await provider.whenRunning(slots, limitMs).catch(async ({ message }: Error) => {
        violations.push(`round ${round}: ${message}`);
        // Its clients would wait for ever.
        await restartAll(["gateway"]);
      });
      await Promise.all(again.map(({ stop }) => stop()));
      if (provider.seen.most > slots) violations.push(`round ${round}: ${provider.seen.most} at once`);
    }
    return violations;
  },
});

/** How long calls take of clients who make so many at both gateways, the slowest twentieth left out. */
async function measure(calls: number, team: Team): Promise<{ p95Ms: number; wrong: string[] }> {
  const elapsed: number[] = [];
  const wrong: string[] = [];
  const loop = async (gateway: SpawnedServer) => {
    while (elapsed.length + wrong.length < calls) {
      const startedAt = performance.now();
      const answer = await callWith("measured", gateway, team);
      if (saidIn(answer).title === "measured") elapsed.push(performance.now() - startedAt);
      else wrong.push(`a call beside the flood was answered: ${answer.text}`);
    }
  };
  await Promise.all(yard.of("gateway").map(loop));
  return { p95Ms: elapsed.sort((one, other) => one - other)[Math.floor(elapsed.length * 0.95)] ?? 0, wrong };
}

// The promise is twice; beside other tests the quiet value is no better known.
const factor = roundsOf(4, 2);

invariant("V9", {
  promise: "an organization that wants ten times its slots does not slow down the calls of another",
  rounds: { quick: 40, full: 400 },
  planted: "the flood comes with the other's key",
  async check({ rounds, isPlanted }) {
    yard.provider.takeTime(100);
    const [flooding, other] = await Promise.all([yard.createTeam("flooding"), yard.createTeam("other")]);
    await measure(10, other);
    const quiet = await measure(rounds, other);
    const flood = yard.of("gateway").map((gateway) => startClients(5 * slots, gateway, isPlanted ? other : flooding));
    await yard.provider.whenRunning(slots, 10_000);
    const flooded = await measure(rounds, other);
    await Promise.all(flood.map(({ stop }) => stop()));
    const isSlow = flooded.p95Ms > factor * quiet.p95Ms;
    const figures = `${Math.round(flooded.p95Ms)} ms beside the flood, ${Math.round(quiet.p95Ms)} ms without`;
    return [...quiet.wrong, ...flooded.wrong, ...(isSlow ? [figures] : [])];
  },
});

invariant("V24", {
  promise:
    "a restart of all processes one after the other fails no call and no run, repeats nothing, and ends each within 30 s",
  rounds: { quick: 1, full: 6 },
  planted: "one process is killed in place of being told",
  check: async (trial) => [...(await checkRollingRestart(yard, trial)), ...(await checkDraining(yard, slots))],
});

invariant("V25", {
  promise:
    "without its database every door says 503 within two seconds and never yes, and all is well five seconds after it is back",
  rounds: { quick: 3, full: 9 },
  planted: "the database is back before anybody is told",
  check: (trial) => checkOutages(yard, trial),
});
