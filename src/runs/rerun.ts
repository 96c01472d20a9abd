import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { TriggerData } from "../workflows/engine-node.ts";
import type { NodeOverride } from "../workflows/wire.ts";
import type { Workflows } from "../workflows/workflows.ts";
import type { AcceptedRun, RunToAccept } from "./accept-runs.ts";
import type { CheckOverrides } from "./check-overrides.ts";
import { copyNodes } from "./copy-nodes-store.ts";
import { toRow } from "./create-start-run.ts";
import { type Graph, withFollowers } from "./graph.ts";
import type { RunNodeRow } from "./list-store.ts";
import { type ReusedNode, reuseItems } from "./reuse-items.ts";
import type { RunList } from "./run-list.ts";

type Options = {
  workflows: Pick<Workflows, "find">;
  list: Pick<RunList, "read">;
  accept: (wish: RunToAccept) => Promise<AcceptedRun>;
  checkOverrides: CheckOverrides;
  clock: Clock;
};

type Wish = {
  organizationId: string;
  runId: string;
  from: "start" | "failure";
  /** What shall be otherwise than in the run before. */
  prompt?: string | undefined;
  payload?: unknown;
  overrides?: NodeOverride[] | undefined;
  user: { id: string; name: string };
  trace: Span;
};

/** Runs again what a run did, on the same version of the workflow: all of it, or from the node that failed, with what was finished before it and those of its items that worked. */
export function createRerun({ workflows, list, accept, checkOverrides, clock }: Options) {
  async function requireActive(organizationId: string, workflowId: string): Promise<void> {
    const workflow = await workflows.find(organizationId, workflowId);
    if (!workflow) throw new Refusal("workflow_not_found", "The workflow of this run was deleted.");
    if (!workflow.isActive) throw new Refusal("workflow_inactive", "This workflow is turned off.");
  }

  return async ({
    organizationId,
    runId,
    from,
    prompt,
    payload,
    overrides,
    user,
    trace,
  }: Wish): Promise<{ id: string; createdAt: Date; workflowId: string }> => {
    const { row: before, nodes, graph } = await list.read(organizationId, runId);
    await requireActive(organizationId, before.workflowId);
    const { finished, reused } = from === "failure" ? reusableNodes(before.status, nodes, graph) : nothing;
    const chosen = overrides ?? (JSON.parse(before.overrides ?? "[]") as NodeOverride[]);
    await checkOverrides(organizationId, graph, chosen);
    const trigger = JSON.parse(before.triggerData) as TriggerData;
    const edited = { ...trigger, ...(prompt === undefined ? {} : { prompt }), ...(payload === undefined ? {} : { payload }) };
    const queuedAt = clock.now();
    const wish = toRow({ organizationId, kind: "manual", trigger: edited, overrides: chosen, user, trace }, queuedAt);
    const row = { ...wish, workflowId: before.workflowId, workflowVersion: before.workflowVersion, rerunOf: runId };
    const copy = { organizationId, from: runId, to: row.id, at: queuedAt, nodeIds: finished, reused };
    const alsoInsert = from === "failure" ? (run: Parameters<typeof copyNodes>[0]) => copyNodes(run, copy) : undefined;
    const { id } = await accept({ row, once: undefined, alsoInsert });
    return { id, createdAt: queuedAt, workflowId: before.workflowId };
  };
}

type Reusable = { finished: string[]; reused: ReusedNode[] };

const nothing: Reusable = { finished: [], reused: [] };

/** Finished nodes that do not come after one that failed; and of the first ones that failed, the items that worked. */
function reusableNodes(status: string, nodes: RunNodeRow[], graph: Graph): Reusable {
  if (status === "pending" || status === "running" || status === "waiting")
    throw new Refusal("run_not_finished", "This run has not ended yet.");
  const succeeded = nodes.filter((node) => node.status === "succeeded").map(({ nodeId }) => nodeId);
  const failed = nodes.filter((node) => node.status === "failed");
  const again = new Set(failed.flatMap(({ nodeId }) => [...withFollowers(graph, nodeId)]));
  const behind = new Set(failed.flatMap(({ nodeId }) => [...withFollowers(graph, nodeId)].filter((id) => id !== nodeId)));
  return {
    finished: succeeded.filter((nodeId) => !again.has(nodeId)),
    reused: failed.filter(({ nodeId }) => !behind.has(nodeId)).flatMap((node) => reuseItems(node) ?? []),
  };
}
