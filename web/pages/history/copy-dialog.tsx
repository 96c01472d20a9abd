import { useQueries } from "@tanstack/react-query";
import { callCopyQuery } from "../../api/history.ts";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";

type CopyDialogProps = { organizationId: string; recordId: string; onClose: () => void };

export function CopyDialog({ organizationId, recordId, onClose }: CopyDialogProps) {
  const [curl, mcp] = useQueries({
    queries: [callCopyQuery(organizationId, recordId, "curl"), callCopyQuery(organizationId, recordId, "mcp")],
  });
  const error = curl.error ?? mcp.error;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Copy this call"
      description="The key is never recorded; put yours where the placeholder stands."
    >
      <div className="grid grid-cols-1 gap-4">
        {error && <ProblemNotice error={error} />}
        {curl.isPending && (
          <Loading what="the texts">
            <Skeleton className="h-40" />
          </Loading>
        )}
        {curl.data !== undefined && <CopyBlock label="curl" text={curl.data.trimEnd()} />}
        {mcp.data !== undefined && <CopyBlock label="MCP JSON" text={mcp.data.trimEnd()} />}
      </div>
    </Dialog>
  );
}
