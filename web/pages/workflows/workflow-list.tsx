import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WorkflowSummary } from "../../../src/workflows/wire.ts";
import { deleteWorkflow, workflowsKey } from "../../api/workflows.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { CallDialog } from "./call-dialog.tsx";
import { WorkflowRow } from "./workflow-row.tsx";

export function WorkflowList({
  organization,
  workflows,
}: {
  organization: MyOrganization;
  workflows: WorkflowSummary[];
}) {
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState<WorkflowSummary>();
  const [calling, setCalling] = useState<WorkflowSummary>();
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = workflows.filter(({ id }) => chosenIds.has(id));
  const choose = (id: string, isChosen: boolean) =>
    setChosenIds((before) => new Set(isChosen ? [...before, id] : [...before].filter((other) => other !== id)));
  const refresh = () => queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) });

  return (
    <>
      {chosen.length > 0 && (
        <BulkBar organizationId={organization.id} chosen={chosen} onClear={() => setChosenIds(new Set())} />
      )}
      <section aria-label="Workflows" className="rounded-xl border border-line bg-surface">
        <ul className="divide-y divide-line">
          {workflows.map((workflow) => (
            <WorkflowRow
              key={workflow.id}
              organization={organization}
              workflow={workflow}
              refresh={refresh}
              onDelete={() => setDeleting(workflow)}
              onCall={() => setCalling(workflow)}
              isChosen={chosenIds.has(workflow.id)}
              onChoose={(isChosen) => choose(workflow.id, isChosen)}
            />
          ))}
        </ul>
        {deleting && (
          <ConfirmDialog
            title={`Delete “${deleting.name}”?`}
            description={describeDeletion(deleting)}
            confirm="Delete"
            act={() => deleteWorkflow(organization.id, deleting.id).then(refresh)}
            onClose={() => setDeleting(undefined)}
          />
        )}
        {calling && (
          <CallDialog organizationId={organization.id} workflow={calling} onClose={() => setCalling(undefined)} />
        )}
      </section>
    </>
  );
}

export function WorkflowListSkeleton() {
  return (
    <Loading what="the workflows">
      <div className="grid gap-px overflow-hidden rounded-xl border border-line bg-line">
        {[0, 1, 2].map((row) => (
          <div key={row} className="grid gap-2 bg-surface px-5 py-4 sm:px-6">
            <Skeleton className="h-5 w-56" />
            <Skeleton className="h-4 w-80 max-w-full" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

function describeDeletion({ triggers: { total } }: WorkflowSummary): string {
  const lost = total === 0 ? "" : total === 1 ? " Its trigger goes with it." : ` Its ${total} triggers go with it.`;
  return `It cannot be brought back.${lost} Runs that have begun go on, and its history stays. Export it first to keep a copy.`;
}
