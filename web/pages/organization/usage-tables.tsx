import { Link } from "@tanstack/react-router";
import type { Usage } from "../../../src/usage/wire.ts";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { formatCount, formatDuration, formatShare } from "./format.ts";
import { RankingCard } from "./ranking-card.tsx";

/** Who and what the usage comes from; each line leads to its part of the history. */
export function UsageTables({ organizationId, usage }: { organizationId: string; usage: Usage }) {
  const history = {
    to: "/o/$organizationId/history",
    params: { organizationId },
    className: "hover:underline",
  } as const;
  return (
    <>
      <RankingCard
        title="Tools"
        head={["Tool", "Calls", "Failed", "Typical time", "95 % within"]}
        rows={usage.byTool.map(({ serverId, tool, calls, failed, p50Ms, p95Ms }) => ({
          key: `${serverId} ${tool}`,
          weight: calls,
          name: (
            <span className="flex items-center gap-2.5">
              <NodeIcon providerId={noProviders.has(serverId) ? null : serverId} className="size-4" />
              <Link {...history} search={{ tab: "tools", tool }}>
                {tool}
              </Link>
            </span>
          ),
          cells: [formatCount(calls), formatShare(failed, calls), durationOf(p50Ms), durationOf(p95Ms)],
        }))}
        nothing="No tool was called in this period."
      />
      <RankingCard
        title="Keys"
        head={["Key", "Calls", "Runs"]}
        rows={usage.byKey.map(({ apiKeyId, name, calls, runs }) => ({
          key: apiKeyId ?? name,
          weight: calls + runs,
          name: apiKeyId ? (
            <Link {...history} search={{ tab: calls > 0 ? "tools" : "runs", key: apiKeyId }}>
              {name}
            </Link>
          ) : (
            name
          ),
          cells: [formatCount(calls), formatCount(runs)],
        }))}
        nothing="No key was used in this period."
      />
      <RankingCard
        title="Workflows"
        head={["Workflow", "Runs", "Failed"]}
        rows={usage.byWorkflow.map(({ workflowId, workflowName, runs, failed }) => ({
          key: workflowId,
          weight: runs,
          name: (
            <Link {...history} search={{ tab: "runs", workflow: workflowId }}>
              {workflowName}
            </Link>
          ),
          cells: [formatCount(runs), formatShare(failed, runs)],
        }))}
        nothing="No workflow ran in this period."
      />
    </>
  );
}

/** Servers of the product itself, which have no icon of a provider. */
const noProviders = new Set(["platform", "workflows"]);

const durationOf = (durationMs: number | null): string => (durationMs === null ? "–" : formatDuration(durationMs));
