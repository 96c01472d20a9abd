import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { callWith } from "../support/gateway/gateway-pair.ts";
import { edges, node } from "../support/runs/workflow-app.ts";
import { invariant } from "./invariant.ts";
import { requestRun } from "./request-run.ts";
import { type Member, startYard, type Team, type Yard } from "./yard.ts";

const runsEachRound = 2;
const endLimitMs = 90_000;
/** What only its author may have repeated, and nobody allowed it for. */
const once = ["post", "last"];
/** What may be sent again, by its method or because its author said so. */
const repeatable = ["put", "allowed"];

let yard: Yard;

beforeAll(async () => {
  const environment = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "64" };
  yard = await startYard({ environment, members: ["gateway", "gateway", "worker", "worker", "platform"] });
}, 300_000);
afterAll(() => yard?.stop(), 120_000);

/** One whose nodes must not be repeated, and one whose nodes may. */
async function createWorkflows({ organizationId }: Team): Promise<string[]> {
  const data = { kind: "custom", authKind: "none" };
  const { credentials, defaults } = yard.parts.vault;
  const { id: accountId } = await credentials.create(organizationId, {
    type: "http_auth",
    name: "HTTP",
    data,
    createdBy: null,
  });
  await defaults.set({ organizationId, apiKeyId: null, type: "http_auth" }, accountId);
  const title = (id: string) => `{{ $trigger.prompt }} ${id}`;
  const issue = (id: string, settings = {}) =>
    node(id, "github_create_issue", { owner: "acme", repo: "site", title: title(id) }, { settings });
  const put = node("put", "http_request", { method: "PUT", url: yard.provider.url, body: { title: title("put") } });
  const canvases = [
    { nodes: [issue("post"), issue("last")], edges: edges("post>last") },
    { nodes: [put, issue("allowed", { repeatAfterInterruption: true })], edges: [] },
  ];
  const create = (canvas: (typeof canvases)[number]) =>
    yard.parts.workflows.create(organizationId, { name: "Write", canvas }, null);
  return (await Promise.all(canvases.map(create))).map(({ id }) => id);
}

type Crash = { round: number; victims: Member[]; pauseMs: number };

/** Until the runs of a round have sent their first requests, or the time is up. */
async function whenSent(prefix: string, limitMs: number): Promise<void> {
  const untilMs = performance.now() + limitMs;
  const sent = () => yard.provider.requests.filter(({ title }) => title.startsWith(prefix)).length;
  while (sent() < runsEachRound && performance.now() < untilMs) await delay(5);
}

/** Runs and calls that are under way when one worker and one gateway are killed. */
async function crash(team: Team, workflowIds: string[], { round, victims, pauseMs }: Crash): Promise<string[]> {
  const [platform] = yard.of("platform");
  if (!platform) throw new Error("nobody to ask");
  const asked = Array.from({ length: runsEachRound }).flatMap((_, index) =>
    workflowIds.map((workflowId) => requestRun(platform, { ...team, workflowId }, `${round}-${index}`)),
  );
  const calls = yard
    .of("gateway")
    .map((gateway, index) => callWith(`call ${round}-${index}`, gateway, team).catch(() => undefined));
  const ids = (await Promise.all(asked)).map(({ id }) => id);
  await whenSent(`${round}-`, 10_000);
  await delay(pauseMs);
  await Promise.all(victims.map((victim) => yard.restart(victim, "SIGKILL")));
  await Promise.all(calls);
  return ids;
}

type NodeFound = {
  runId: string;
  prompt: string;
  status: string;
  nodeId: string;
  nodeStatus: string;
  attempts: number;
  code: string | null;
};

async function readNodes(ids: string[]): Promise<NodeFound[]> {
  return await yard.query<NodeFound>(
    `SELECT run.id AS "runId", run.trigger_data::json ->> 'prompt' AS prompt, run.status, node.node_id AS "nodeId", node.status AS "nodeStatus",
       node.attempts, node.error_code AS code
     FROM run LEFT JOIN run_node AS node ON node.organization_id = run.organization_id AND node.run_id = run.id WHERE run.id = ANY ($1::uuid[])`,
    [ids],
  );
}

async function whenEnded(ids: string[]): Promise<NodeFound[]> {
  const untilMs = performance.now() + endLimitMs;
  for (;;) {
    const nodes = await readNodes(ids);
    const isOpen = nodes.some(({ status }) => !["succeeded", "failed"].includes(status));
    if (!isOpen || performance.now() > untilMs) return nodes;
    await delay(250);
  }
}

const requestsOf = (title: string): number =>
  yard.provider.requests.filter((request) => request.title === title).length;

/** What the provider saw of a node, against what its row says. */
function judge({ prompt, nodeId, nodeStatus, attempts, code, status, runId }: NodeFound): string[] {
  const requests = requestsOf(`${prompt} ${nodeId}`);
  const where = `${runId} ${nodeId} (${nodeStatus}, ${code}, attempts: ${attempts})`;
  const isDone = nodeStatus === "succeeded" || (once.includes(nodeId) && code === "interrupted");
  return [
    ...(requests > attempts ? [`${where}: ${requests} requests`] : []),
    ...(once.includes(nodeId) && requests > 1 ? [`${where}: sent ${requests} times without permission`] : []),
    ...(isDone ? [] : [`${where} of a run that ${status}`]),
    ...(repeatable.includes(nodeId) && code === "interrupted" ? [`${where}: was not repeated`] : []),
  ];
}

invariant("V32", {
  promise:
    "effects at a provider never exceed the attempts shown: a write that a killed process had under way is interrupted, never done twice",
  rounds: { quick: 6, full: 500 },
  planted: "the database forgets what must not be repeated, and which attempt it was",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted)
      await yard.plant(
        "BEFORE INSERT OR UPDATE ON run_node",
        "NEW.must_not_repeat := false; NEW.attempts := least(NEW.attempts, 1); RETURN NEW;",
      );
    yard.provider.takeTime(500);
    const team = await yard.createTeam("writers");
    const workflowIds = await createWorkflows(team);
    const [gateways, workers] = (["gateway", "worker"] as const).map((role) =>
      yard.members.filter((member) => member.role === role),
    );
    const ids: string[] = [];
    // Two processes each time.
    for (let round = 0; round < rounds / 2; round++) {
      const victims = [random.pick(gateways as Member[]), random.pick(workers as Member[])];
      ids.push(...(await crash(team, workflowIds, { round, victims, pauseMs: random.below(200) })));
    }
    const nodes = await whenEnded(ids);
    const open = nodes
      .filter(({ status }) => !["succeeded", "failed"].includes(status))
      .map(({ runId, status }) => `${runId} is ${status}`);
    const calls = yard.provider.requests.map(({ title }) => title).filter((title) => title.startsWith("call "));
    const repeated = calls
      .filter((title, index) => calls.indexOf(title) !== index)
      .map((title) => `${title} was sent twice`);
    return [...open, ...nodes.filter(({ nodeId }) => nodeId !== null).flatMap(judge), ...repeated];
  },
});
