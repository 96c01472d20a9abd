import { useQuery } from "@tanstack/react-query";
import { use } from "react";
import { pinQuery } from "../../api/steps.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { EditDialog } from "../stepping/pinned-data.tsx";
import { SteppingContext } from "../stepping/stepping-context.ts";

type PinDialogProps = { organizationId: string; workflowId: string; nodeId: string; onClose: () => void };

/** What is pinned to a node, to be changed. */
export function PinDialog({ organizationId, workflowId, nodeId, onClose }: PinDialogProps) {
  const stepping = use(SteppingContext);
  const pin = stepping?.pins.get(nodeId) ?? { nodeId, pinnedAt: "" };
  const { data, error, refetch } = useQuery(pinQuery(organizationId, workflowId, pin));
  if (error)
    return (
      <Dialog open title="Pinned data" onOpenChange={onClose}>
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      </Dialog>
    );
  if (!stepping || !data) return null;
  return <EditDialog outputs={data.outputs} save={(outputs) => stepping.pin(nodeId, outputs)} onClose={onClose} />;
}
