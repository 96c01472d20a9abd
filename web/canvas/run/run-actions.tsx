import { useQueryClient } from "@tanstack/react-query";
import { CircleSlash, PenLine, RotateCcw, StepForward } from "lucide-react";
import { useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { cancelRun, isOver, runQuery } from "../../api/runs.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { useOrganization } from "../../session.ts";
import { RerunProblem } from "../stepping/rerun-problem.tsx";
import { EditedRunDialog } from "./edited-run-dialog.tsx";
import { useRerun } from "./use-rerun.ts";

type RunActionsProps = { organizationId: string; run: Run; titleOf: (nodeId: string) => string };

/** What can be done with a run as it stands; nothing for those who only read. */
export function RunActions({ organizationId, run, titleOf }: RunActionsProps) {
  const [open, setOpen] = useState<"cancel" | "edit">();
  const queryClient = useQueryClient();
  const rerun = useRerun({ organizationId, run });
  if (useOrganization().role === "viewer") return null;
  const close = () => setOpen(undefined);

  async function cancel() {
    queryClient.setQueryData(runQuery(organizationId, run.id).queryKey, await cancelRun(organizationId, run.id));
  }

  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {!isOver(run) && (
          <Button look="danger" onClick={() => setOpen("cancel")}>
            <CircleSlash className="size-4" aria-hidden="true" />
            Cancel the run
          </Button>
        )}
        {isOver(run) && !run.workflowDeleted && (
          <>
            {run.status === "failed" && (
              <Button look="primary" busy={rerun.isPending} onClick={() => rerun.mutate({ from: "failure" })}>
                <StepForward className="size-4" aria-hidden="true" />
                Run again from the failed node
              </Button>
            )}
            <Button busy={rerun.isPending} onClick={() => rerun.mutate({ from: "start" })}>
              <RotateCcw className="size-4" aria-hidden="true" />
              Run all again
            </Button>
            <Button onClick={() => setOpen("edit")}>
              <PenLine className="size-4" aria-hidden="true" />
              Edit and run again
            </Button>
          </>
        )}
      </div>
      {rerun.isError && !open && <RerunProblem rerun={rerun} />}
      {open === "cancel" && (
        <ConfirmDialog
          title="Cancel this run?"
          description="What is being done now is broken off, and nothing that follows it begins. What is done stays done."
          confirm="Cancel the run"
          act={cancel}
          onClose={close}
        />
      )}
      {open === "edit" && <EditedRunDialog run={run} titleOf={titleOf} rerun={rerun} onClose={close} />}
    </div>
  );
}
