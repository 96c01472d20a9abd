import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "../../../src/identity/wire.ts";
import { apiKeysQuery, regenerateApiKey } from "../../api/api-keys.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { useGuardedClose } from "../../parts/use-guarded-close.ts";
import type { MyOrganization } from "../../session.ts";
import { ShownOnce } from "./shown-once.tsx";

type RegenerateDialogProps = { organization: MyOrganization; apiKey: ApiKey; onClose: () => void };

/** Asks first, then shows the new text in the same place. */
export function RegenerateDialog({ organization, apiKey, onClose }: RegenerateDialogProps) {
  const queryClient = useQueryClient();
  const regenerate = useMutation({
    mutationFn: () => regenerateApiKey(organization.id, apiKey.id),
    onSettled: () => void queryClient.invalidateQueries(apiKeysQuery(organization.id)),
  });
  const { close, warned } = useGuardedClose(regenerate.isSuccess, onClose);

  if (regenerate.data) {
    return (
      <Dialog open wide onOpenChange={close} title={`New text of ${apiKey.name}`}>
        <ShownOnce created={regenerate.data} organizationId={organization.id} warned={warned} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={close}
      title={`Regenerate ${apiKey.name}?`}
      description={`The key gets a new text. ${apiKey.hint} stops at once; name, rules, expiry and history stay.`}
    >
      <div className="grid gap-4">
        {regenerate.isError && <ProblemNotice error={regenerate.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={regenerate.isPending} onClick={() => regenerate.mutate()}>
            Regenerate key
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
