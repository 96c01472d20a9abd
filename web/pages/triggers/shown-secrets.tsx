import type { TriggerWithSecrets } from "../../../src/triggers/wire.ts";
import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { senderOf } from "./senders.ts";

type ShownSecretsProps = { created: TriggerWithSecrets; warned: boolean; onDone: () => void };

/** Whether something is shown now that cannot be seen again: the secret, or an address that is all a sender needs. */
export const isLost = ({ signature }: TriggerWithSecrets): boolean => signature !== "provider";

/** The address of a webhook and its secret. */
export function ShownSecrets({ created, warned, onDone }: ShownSecretsProps) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <CopyField label="Address" text={created.webhookUrl ?? ""} />
      {created.signingSecret && <CopyField label="Signing secret" text={created.signingSecret} />}
      {isLost(created) && (
        <Notice kind="warning">
          {created.signingSecret
            ? "Copy the secret now: it is shown only this once. The address stays with the trigger."
            : "Copy it now: it is shown only this once."}
        </Notice>
      )}
      <p className="text-sm text-muted">{senderOf(created)?.whatToPaste}</p>
      {warned && (
        <Notice kind="problem">
          The {created.signingSecret ? "secret" : "address"} is gone once this is closed. Close it again to go on
          without a copy.
        </Notice>
      )}
      <Button look="primary" className="justify-self-start" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  );
}
