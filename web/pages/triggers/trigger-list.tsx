import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { deleteTrigger, triggersKey } from "../../api/triggers.ts";
import { workflowsKey } from "../../api/workflows.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";
import { NewAddressDialog } from "./new-address-dialog.tsx";
import { SampleDialog } from "./sample-dialog.tsx";
import { TriggerRow } from "./trigger-row.tsx";

type TriggerListProps = {
  organization: MyOrganization;
  triggers: Trigger[];
  onEdit: (trigger: Trigger) => void;
  /** What a deletion left behind at the provider. */
  onDeleted: (notRemoved: string | undefined) => void;
};

export function TriggerList({ organization, triggers, onEdit, onDeleted }: TriggerListProps) {
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState<Trigger>();
  const [renewing, setRenewing] = useState<Trigger>();
  const [sampled, setSampled] = useState<Trigger>();
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: triggersKey(organization.id) }),
      queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) }),
    ]);

  return (
    <section aria-label="Triggers" className="rounded-xl border border-line bg-surface">
      <ul className="divide-y divide-line">
        {triggers.map((trigger) => (
          <TriggerRow
            key={trigger.id}
            organization={organization}
            trigger={trigger}
            refresh={refresh}
            onEdit={() => onEdit(trigger)}
            onDelete={() => setDeleting(trigger)}
            onNewAddress={() => setRenewing(trigger)}
            onSample={() => setSampled(trigger)}
          />
        ))}
      </ul>
      {deleting && (
        <ConfirmDialog
          title={`Delete “${deleting.name}”?`}
          description={describeDeletion(deleting)}
          confirm="Delete"
          act={async () => {
            onDeleted(await deleteTrigger(organization.id, deleting.id));
            await refresh();
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
      {renewing && (
        <NewAddressDialog organizationId={organization.id} trigger={renewing} onClose={() => setRenewing(undefined)} />
      )}
      {sampled && (
        <SampleDialog organizationId={organization.id} trigger={sampled} onClose={() => setSampled(undefined)} />
      )}
    </section>
  );
}

/** What becomes of it, for whoever asks before. */
export function describeDeletion({ kind, isRegistered }: Trigger): string {
  if (kind !== "webhook") return "It starts nothing any more. Runs that have begun go on.";
  const atProvider = isRegistered ? " The webhook is removed where it was set up." : "";
  return `Its address stops working at once.${atProvider} Runs that have begun go on.`;
}

export function TriggerListSkeleton() {
  return (
    <Loading what="the triggers">
      <div className="grid gap-px overflow-hidden rounded-xl border border-line bg-line">
        {[0, 1, 2].map((row) => (
          <div key={row} className="grid gap-2 bg-surface px-5 py-4 sm:px-6">
            <Skeleton className="h-5 w-48" />
            <Skeleton className="h-4 w-72 max-w-full" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
