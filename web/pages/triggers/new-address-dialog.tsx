import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { regenerateTriggerToken, triggersKey } from "../../api/triggers.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { useGuardedClose } from "../../parts/use-guarded-close.ts";
import { isLost, ShownSecrets } from "./shown-secrets.tsx";

type NewAddressDialogProps = { organizationId: string; trigger: Trigger; onClose: () => void };

/** Asks first, then shows the new address this once. */
export function NewAddressDialog({ organizationId, trigger, onClose }: NewAddressDialogProps) {
  const queryClient = useQueryClient();
  const regenerate = useMutation({
    mutationFn: () => regenerateTriggerToken(organizationId, trigger.id),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
      // The provider was told; there is nothing to show.
      if (trigger.isRegistered) onClose();
    },
  });
  const { warned, close } = useGuardedClose(
    regenerate.isSuccess && !trigger.isRegistered && isLost(regenerate.data),
    onClose,
  );
  if (regenerate.data && !trigger.isRegistered)
    return (
      <Dialog wide open onOpenChange={close} title={`New address of “${trigger.name}”`}>
        <ShownSecrets created={regenerate.data} warned={warned} onDone={onClose} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={close}
      title={`Make a new address for “${trigger.name}”?`}
      description={`The address so far stops working at once, and its signing secret too. ${
        trigger.isRegistered ? "The provider is told the new ones." : "Whoever delivers to it needs the new ones."
      }`}
    >
      <div className="grid gap-4">
        {regenerate.isError && <ProblemNotice error={regenerate.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={regenerate.isPending} onClick={() => regenerate.mutate()}>
            Make a new address
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
