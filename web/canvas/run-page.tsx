import { Link, useParams } from "@tanstack/react-router";
import { Button, buttonLook } from "../parts/button.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../parts/skeleton.tsx";
import { useDocumentTitle } from "../parts/use-document-title.ts";
import { RunBody } from "./run/run-body.tsx";
import { useLiveRun } from "./run/use-live-run.ts";

export function RunPage() {
  const { organizationId, runId } = useParams({ from: "/signed-in/o/$organizationId/runs/$runId" });
  const { data: run, isError, error, refetch } = useLiveRun(organizationId, runId);
  useDocumentTitle(run ? `Run of ${run.workflowName || "a deleted workflow"}` : "Run");
  return (
    <div className="mx-auto grid w-full max-w-[110rem] grid-cols-1 gap-5 px-4 py-6 sm:px-8">
      {isError && !run && (
        <ProblemNotice
          error={error}
          action={
            <span className="flex gap-2">
              <Button onClick={() => refetch()}>Try again</Button>
              <Link to="/o/$organizationId/history" params={{ organizationId }} className={buttonLook("quiet")}>
                All runs
              </Link>
            </span>
          }
        />
      )}
      {run && <RunBody key={run.id} organizationId={organizationId} run={run} />}
      {!run && !isError && (
        <Loading what="the run">
          <div className="grid gap-5">
            <Skeleton className="h-8 w-72" />
            <Skeleton className="h-4 w-96 max-w-full" />
            <Skeleton className="h-[60dvh]" />
          </div>
        </Loading>
      )}
    </div>
  );
}
