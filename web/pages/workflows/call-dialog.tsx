import { useQuery } from "@tanstack/react-query";
import type { WorkflowSummary } from "../../../src/workflows/wire.ts";
import { workflowQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { CallPanel } from "./call-panel.tsx";

type CallDialogProps = { organizationId: string; workflow: WorkflowSummary; onClose: () => void };

/** The panel of the editor, for those who only want to call. */
export function CallDialog({ organizationId, workflow, onClose }: CallDialogProps) {
  const { data, isPending, isError, error, refetch } = useQuery(workflowQuery(organizationId, workflow.id));
  return (
    <Dialog wide open onOpenChange={onClose} title={`Call “${workflow.name}”`}>
      {isError && <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />}
      {isPending && (
        <Loading what="the workflow">
          <Skeleton className="h-64" />
        </Loading>
      )}
      {data && <CallPanel organizationId={organizationId} workflow={data} canvas={data.canvas} />}
    </Dialog>
  );
}
