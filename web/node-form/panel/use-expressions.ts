import { useQuery } from "@tanstack/react-query";
import { type RefObject, useMemo } from "react";
import type { PreviewScope } from "../../../src/runs/wire.ts";
import { previewScopeQuery, previewValueQuery } from "../../api/previews.ts";
import { nodeKindsQuery } from "../../catalog.ts";
import { collectSuggestions } from "../expressions/collect-suggestions.ts";
import type { Expressions, InsertTarget } from "../expressions/expressions.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type Options = Pick<NodePanelProps, "organizationId" | "workflowId" | "canvas" | "node" | "run" | "readOnly"> & {
  lastField: RefObject<InsertTarget | null>;
};

/** What the fields of a node can refer to, and previews of it. */
export function useExpressions(options: Options): { expressions: Expressions; scope: PreviewScope | undefined } {
  const { organizationId, workflowId, canvas, node, run, readOnly, lastField } = options;
  const runId = run?.id;
  const progress = run?.nodes.filter(({ completedAt }) => completedAt !== null).length ?? 0;
  const kinds = useQuery(nodeKindsQuery).data;
  const scope = useQuery(previewScopeQuery(organizationId, workflowId, { runId, progress })).data;
  // Not the nodes themselves: they change with every letter that is typed into one of them.
  const nodesKey = canvas.nodes.map(({ id, nodeId, name }) => `${id} ${nodeId} ${name}`).join("\n");

  // biome-ignore lint/correctness/useExhaustiveDependencies: nodesKey stands for what is used of the nodes
  const suggestions = useMemo(
    () => (readOnly ? [] : collectSuggestions({ canvas, node, kinds: kinds ?? new Map(), scope })),
    [canvas.edges, nodesKey, node.id, kinds, scope, readOnly],
  );

  const expressions = useMemo<Expressions>(() => {
    const describeRun = (used: string) => (used === runId ? "In this run" : "In the last run");
    // Viewers see no previews: making one is work for the server.
    if (readOnly) return { suggestions, describeRun, lastField };
    const preview = (value: unknown, isBare: boolean) =>
      previewValueQuery(organizationId, workflowId, {
        canvas,
        nodeId: node.id,
        value,
        runId,
        progress,
        ...(isBare ? { expression: true } : {}),
      });
    return { suggestions, describeRun, lastField, preview };
  }, [organizationId, workflowId, canvas, node.id, runId, progress, readOnly, suggestions, lastField]);
  return { expressions, scope };
}
