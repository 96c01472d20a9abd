import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { Run } from "../../../src/runs/wire.ts";
import { isOver } from "../../api/runs.ts";
import { describeWho, startWords } from "../../pages/history/who.tsx";
import { Button } from "../../parts/button.tsx";
import { Duration, Elapsed } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { TraceId } from "../../parts/trace-id.tsx";

type RunHeaderProps = {
  organizationId: string;
  run: Run;
  nameOf: (nodeId: string) => string;
  /** Whether the panel beside the drawing says what failed. */
  isTold: boolean;
  onGoToNode: (nodeId: string) => void;
};

export function RunHeader({ organizationId, run, nameOf, isTold, onGoToNode }: RunHeaderProps) {
  const failedId = run.error?.nodeId;
  return (
    <header className="grid grid-cols-1 gap-4">
      <Link
        to="/o/$organizationId/history"
        params={{ organizationId }}
        search={{ tab: "runs" }}
        className="inline-flex items-center gap-1.5 justify-self-start text-sm text-muted hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        History
      </Link>
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">
            {run.workflowName || "Deleted workflow"}
          </h1>
          <span aria-live="polite">
            <Status status={run.status} />
          </span>
        </div>
        <Facts run={run} />
        <Relations organizationId={organizationId} run={run} />
      </div>
      {run.error && (
        <div className={isTold ? "xl:hidden" : ""}>
          <Notice
            kind={run.status === "cancelled" ? "hint" : "problem"}
            action={failedId ? <Button onClick={() => onGoToNode(failedId)}>Go to the node</Button> : undefined}
          >
            {failedId && <p className="font-medium">{nameOf(failedId)} failed</p>}
            <p>{run.error.message}</p>
          </Notice>
        </div>
      )}
    </header>
  );
}

function Facts({ run }: { run: Run }) {
  const { text } = describeWho(run);
  const start = startWords[run.executionType];
  return (
    <ul className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
      <li className="wrap-anywhere">{text === start ? start : `${start}: ${text}`}</li>
      <li>
        Accepted <Moment at={run.createdAt} show="time" />
      </li>
      <li>{run.canvas ? "Draft" : `Version ${run.workflowVersion}`}</li>
      {run.startedAt && (
        <li>
          Waited <Duration ms={Math.max(0, Date.parse(run.startedAt) - Date.parse(run.createdAt))} />
        </li>
      )}
      {isOver(run)
        ? run.durationMs !== null && (
            <li>
              Ran for <Duration ms={run.durationMs} />
            </li>
          )
        : run.startedAt && (
            <li>
              Began <Elapsed since={run.startedAt} /> ago
            </li>
          )}
      {run.status === "waiting" && run.wakeAt && (
        <li>
          Goes on <Moment at={run.wakeAt} show="time" />
        </li>
      )}
      {run.traceId && (
        <li className="flex max-w-full items-center gap-1">
          Trace <TraceId id={run.traceId} />
        </li>
      )}
    </ul>
  );
}

function Relations({ organizationId, run }: { organizationId: string; run: Run }) {
  const link = "text-accent underline";
  return (
    <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {!run.workflowDeleted && (
        <li>
          <Link
            to="/o/$organizationId/workflows/$workflowId"
            params={{ organizationId, workflowId: run.workflowId }}
            className={link}
          >
            Open the workflow
          </Link>
        </li>
      )}
      {run.rerunOf && (
        <li>
          <Link to="/o/$organizationId/runs/$runId" params={{ organizationId, runId: run.rerunOf }} className={link}>
            Repeats an earlier run
          </Link>
        </li>
      )}
      {run.parentRunId && (
        <li>
          <Link
            to="/o/$organizationId/runs/$runId"
            params={{ organizationId, runId: run.parentRunId }}
            className={link}
          >
            Called by another run
          </Link>
        </li>
      )}
    </ul>
  );
}
