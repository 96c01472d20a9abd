import { Link } from "@tanstack/react-router";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { Duration } from "../../parts/duration.tsx";
import { Status } from "../../parts/status.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";

export function RunRows({ organizationId, runs }: { organizationId: string; runs: RunEntry[] }) {
  return (
    <ul className="-my-1 divide-y divide-line" aria-label="Runs">
      {runs.map((run) => (
        <li key={run.id}>
          <Link
            to="/o/$organizationId/runs/$runId"
            params={{ organizationId, runId: run.id }}
            className="-mx-2 flex items-center gap-3 rounded-md px-2 py-2 hover:bg-hover"
          >
            <Status status={run.status} compact />
            <span className="min-w-0 flex-1">
              <span className="block truncate text-sm">{run.workflowName}</span>
              <span className="block truncate text-xs text-muted">{startWords[run.executionType]}</span>
            </span>
            <span className="grid justify-items-end text-xs text-muted">
              <TimeAgo at={run.createdAt} />
              {run.durationMs !== null && <Duration ms={run.durationMs} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const startWords: Record<RunEntry["executionType"], string> = {
  manual: "Started by hand",
  api: "Started by a program",
  schedule: "On schedule",
  webhook: "By a webhook",
  poll: "By polling",
  workflow: "By another workflow",
  tool: "Called as a tool",
  editor: "In the editor",
  step: "A step in the editor",
  error: "After a run that failed",
};
