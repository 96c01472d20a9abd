import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BulkRequest, BulkResult } from "../../../src/workflows/label-wire.ts";
import type { WorkflowSummary } from "../../../src/workflows/wire.ts";
import { changeWorkflows, workflowsKey } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { LabelsDialog } from "./labels-dialog.tsx";

type BulkBarProps = { organizationId: string; chosen: WorkflowSummary[]; onClear: () => void };

/** What can be done with all chosen workflows at once. */
export function BulkBar({ organizationId, chosen, onClear }: BulkBarProps) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState<"labels" | "delete">();
  const ids = chosen.map(({ id }) => id);
  const mutation = useMutation({
    mutationFn: (request: Omit<BulkRequest, "ids">) => changeWorkflows(organizationId, { ids, ...request }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowsKey(organizationId) }),
  });
  const close = () => setAsking(undefined);
  const many = chosen.length === 1 ? "1 workflow" : `${chosen.length} workflows`;

  return (
    <div className="sticky top-2 z-10 grid gap-3 rounded-xl border border-line bg-raised px-4 py-3 shadow-sm">
      <div role="toolbar" aria-label="Chosen workflows" className="flex flex-wrap items-center gap-2">
        <span className="mr-2 text-sm font-medium">{many} chosen</span>
        <Button busy={mutation.isPending} onClick={() => mutation.mutate({ change: { isActive: true } })}>
          Turn on
        </Button>
        <Button busy={mutation.isPending} onClick={() => mutation.mutate({ change: { isActive: false } })}>
          Turn off
        </Button>
        <Button onClick={() => setAsking("labels")}>Folder and tags</Button>
        <Button look="danger" onClick={() => setAsking("delete")}>
          Delete
        </Button>
        <Button look="bare" onClick={onClear}>
          Clear
        </Button>
      </div>
      {mutation.isError && <ProblemNotice error={mutation.error} />}
      {mutation.data && <Failures results={mutation.data.data} chosen={chosen} />}
      {asking === "labels" && (
        <LabelsDialog
          organizationId={organizationId}
          workflows={chosen}
          save={(change) => mutation.mutateAsync({ change })}
          onClose={close}
        />
      )}
      {asking === "delete" && (
        <ConfirmDialog
          title={`Delete ${many}?`}
          description="They cannot be brought back, and their triggers go with them. Runs that have begun go on, and their history stays."
          confirm="Delete"
          act={() => mutation.mutateAsync({ delete: true })}
          onClose={close}
        />
      )}
    </div>
  );
}

function Failures({ results, chosen }: { results: BulkResult["data"]; chosen: WorkflowSummary[] }) {
  const failed = results.filter(({ problem }) => problem !== null);
  if (failed.length === 0) return null;
  const nameOf = (id: string) =>
    chosen.find((workflow) => workflow.id === id)?.name ?? "A workflow that you do not see here";
  return (
    <Notice kind="problem">
      <p>{failed.length < results.length && "The others are done. "}This could not be done:</p>
      <ul className="mt-1 list-disc pl-5">
        {failed.map(({ id, problem }) => (
          <li key={id}>
            “{nameOf(id)}”: {problem?.detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
