import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Square, X } from "lucide-react";
import type { Run } from "../../../src/runs/wire.ts";
import { cancelRun, isOver, runQuery } from "../../api/runs.ts";
import { Button } from "../../parts/button.tsx";
import { Status } from "../../parts/status.tsx";
import { ToolButton } from "../flow/tool-button.tsx";
import { runInWords } from "../words.ts";

type RunStripProps = { organizationId: string; run: Run; canStop: boolean; onHide: () => void };

/** How the run whose states are on the canvas stands. */
export function RunStrip({ organizationId, run, canStop, onHide }: RunStripProps) {
  const queryClient = useQueryClient();
  const stop = useMutation({
    mutationFn: () => cancelRun(organizationId, run.id),
    onSuccess: (stopped) => queryClient.setQueryData(runQuery(organizationId, run.id).queryKey, stopped),
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2 text-sm">
      <Status status={run.status} compact />
      <p role="status" className="min-w-0 flex-1 basis-48 wrap-anywhere">
        {runInWords(run)}
      </p>
      <div className="flex shrink-0 items-center gap-3">
        {stop.isError && <p className="text-danger">It could not be stopped.</p>}
        {canStop && !isOver(run) && (
          <Button look="danger" busy={stop.isPending} onClick={() => stop.mutate()}>
            <Square className="size-3.5" aria-hidden="true" />
            Stop
          </Button>
        )}
        <Link
          to="/o/$organizationId/runs/$runId"
          params={{ organizationId, runId: run.id }}
          className="text-accent underline underline-offset-4"
        >
          Open the run
        </Link>
        <ToolButton label="Hide the run" onClick={onHide}>
          <X className="size-4" aria-hidden="true" />
        </ToolButton>
      </div>
    </div>
  );
}
