import { useQueryClient } from "@tanstack/react-query";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { triggersKey } from "../../api/triggers.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { TriggerForm } from "./trigger-form.tsx";
import { describePoll, usePoll } from "./watch-words.ts";

type EditTriggerDialogProps = { organizationId: string; trigger: Trigger; onClose: () => void };

export function EditTriggerDialog({ organizationId, trigger, onClose }: EditTriggerDialogProps) {
  const queryClient = useQueryClient();
  const poll = usePoll(trigger.provider, trigger.poll?.event);
  const watches = poll ? `Checks ${describePoll(poll)}. ` : "";
  return (
    <Dialog wide open onOpenChange={onClose} title={`Edit “${trigger.name}”`} description={`${watches}Starts “${trigger.workflowName}”.`}>
      <TriggerForm
        organizationId={organizationId}
        kind={trigger.kind}
        trigger={trigger}
        onSaved={async () => {
          await queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
          onClose();
        }}
      />
    </Dialog>
  );
}
