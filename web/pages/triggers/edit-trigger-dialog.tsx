import { useQueryClient } from "@tanstack/react-query";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { triggersKey } from "../../api/triggers.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { TriggerTabs } from "./panel/trigger-tabs.tsx";
import { describePoll, usePoll } from "./poll-words.ts";

type EditTriggerDialogProps = { organizationId: string; trigger: Trigger; onClose: () => void };

export function EditTriggerDialog({ organizationId, trigger, onClose }: EditTriggerDialogProps) {
  const queryClient = useQueryClient();
  const poll = usePoll(trigger.provider, trigger.poll?.event);
  const checks = poll ? `Checks ${describePoll(poll)}. ` : "";
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={`Edit “${trigger.name}”`}
      description={`${checks}Starts “${trigger.workflowName}”.`}
    >
      <TriggerTabs
        organizationId={organizationId}
        trigger={trigger}
        readOnly={false}
        onSaved={async () => {
          await queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
          onClose();
        }}
      />
    </Dialog>
  );
}
