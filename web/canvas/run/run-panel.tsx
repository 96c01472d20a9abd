import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Run } from "../../../src/runs/wire.ts";
import { calledRunsQuery, isOver } from "../../api/runs.ts";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Status } from "../../parts/status.tsx";
import { Part } from "./part.tsx";

/** What went into a run as a whole and what came out. */
export function RunPanel({ organizationId, run }: { organizationId: string; run: Run }) {
  const { prompt, payload, sender, source } = run.trigger;
  return (
    <section aria-label="The run" className="grid grid-cols-1 gap-5">
      <p className="text-sm text-muted">Choose a node to see what it got and gave.</p>
      {run.result && (
        <Part title="Result" hint="What came out of the nodes that nothing follows.">
          <DataViewer value={run.result} label="result" />
        </Part>
      )}
      <Part title="Trigger data" hint={`Every node reads it as $trigger. It came from: ${source}.`}>
        {prompt !== "" && (
          <p className="rounded-lg border border-line bg-page p-3 text-sm wrap-anywhere whitespace-pre-wrap">
            {prompt}
          </p>
        )}
        {payload !== null && payload !== undefined && <DataViewer value={payload} label="payload" />}
        {prompt === "" && (payload === null || payload === undefined) && (
          <p className="text-sm text-muted">No prompt and no payload.</p>
        )}
        {sender !== null && sender !== undefined && (
          <details className="text-sm">
            <summary className="cursor-pointer text-muted">Sender</summary>
            <div className="mt-2">
              <DataViewer value={sender} label="sender" />
            </div>
          </details>
        )}
      </Part>
      {run.variables && (
        <Part title="Variables" hint="Nodes read them as $vars. They are as they were when the run began.">
          <DataViewer value={run.variables} label="variables" />
        </Part>
      )}
      {run.overrides.length > 0 && (
        <Part title="Overrides" hint="What nodes had otherwise in this run only.">
          <DataViewer value={run.overrides} label="overrides" />
        </Part>
      )}
      {run.nodes.some(({ nodeId }) => nodeId === "call_workflow") && (
        <CalledRuns organizationId={organizationId} run={run} />
      )}
    </section>
  );
}

function CalledRuns({ organizationId, run }: { organizationId: string; run: Run }) {
  const called = useQuery({ ...calledRunsQuery(organizationId, run), refetchInterval: isOver(run) ? false : 2_000 });
  if (!called.data || called.data.length === 0) return null;
  return (
    <Part title="Runs it called">
      <ul className="grid gap-2 text-sm">
        {called.data.map(({ id, workflowName, status }) => (
          <li key={id} className="flex items-center justify-between gap-3">
            <Link
              to="/o/$organizationId/runs/$runId"
              params={{ organizationId, runId: id }}
              className="min-w-0 text-accent underline wrap-anywhere"
            >
              {workflowName || "Deleted workflow"}
            </Link>
            <Status status={status} />
          </li>
        ))}
      </ul>
    </Part>
  );
}
