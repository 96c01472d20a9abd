import type { Span } from "../../base/tracing.ts";
import type { Canvas } from "../../workflows/wire.ts";
import type { RunRequest } from "../accept/run-request.ts";
import type { FailedRun } from "./failed-run-store.ts";

type Known = { canvas: string | undefined; platformBaseUrl: string; trace: Span };

/** The run of an error workflow for a run that failed. What it is told is `$trigger.payload`. */
export function requestOfFailure(
  { organizationId, runId, errorWorkflowId }: FailedRun,
  run: NonNullable<FailedRun["run"]>,
  { canvas, platformBaseUrl, trace }: Known,
): RunRequest {
  const { workflowId, workflowName, workflowVersion, kind, errorCode, errorMessage, errorNodeId } = run;
  return {
    organizationId,
    workflowId: errorWorkflowId,
    kind: "error",
    trace,
    trigger: {
      source: "error",
      sender: null,
      prompt: `${workflowName} failed: ${errorMessage}`,
      payload: {
        workflow: { id: workflowId, name: workflowName, version: workflowVersion },
        run: {
          id: runId,
          executionType: kind,
          createdAt: run.queuedAt.toISOString(),
          startedAt: run.startedAt?.toISOString() ?? null,
        },
        node: errorNodeId === null ? null : describeNode(canvas, errorNodeId),
        error: { code: errorCode, message: errorMessage },
        failedAt: run.completedAt.toISOString(),
        link: `${platformBaseUrl}/o/${organizationId}/runs/${runId}`,
      },
    },
  };
}

function describeNode(canvas: string | undefined, id: string) {
  const { nodes } = JSON.parse(canvas ?? '{"nodes":[]}') as Pick<Canvas, "nodes">;
  const node = nodes.find((one) => one.id === id);
  return { id, name: node?.name ?? null, type: node?.nodeId ?? null };
}
