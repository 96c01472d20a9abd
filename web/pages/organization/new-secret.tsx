import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";

/** Shows the signing secret of an endpoint, this once. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <div className="grid gap-4">
      <Notice kind="warning">Copy the signing secret now. It is shown only this once.</Notice>
      <CopyField label="Signing secret" text={secret} />
      <p className="text-sm text-muted">
        Check every message with it: the headers are those of Standard Webhooks, which has libraries for most languages.
      </p>
      <Button look="primary" className="justify-self-start" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  );
}
