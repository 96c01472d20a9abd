import type { TriggerWithSecrets } from "../../../src/triggers/wire.ts";
import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { senderOf } from "./senders.ts";

type ShownSecretsProps = { created: TriggerWithSecrets; warned: boolean; onDone: () => void };

/** The address of a webhook and its secret, this once. */
export function ShownSecrets({ created, warned, onDone }: ShownSecretsProps) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <CopyField label="Address" text={created.webhookUrl ?? ""} />
      {created.signingSecret && <CopyField label="Signing secret" text={created.signingSecret} />}
      <Notice kind="warning">
        {created.signingSecret
          ? "Copy both now: they are shown only this once."
          : "Copy it now: it is shown only this once."}
      </Notice>
      <p className="text-sm text-muted">{senderOf(created)?.whatToPaste}</p>
      {warned && (
        <Notice kind="problem">The address is gone once this is closed. Close it again to go on without a copy.</Notice>
      )}
      <Button look="primary" className="justify-self-start" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  );
}
