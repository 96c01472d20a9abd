import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import type { Trigger } from "../../../../src/triggers/wire.ts";
import { addressQuery } from "../../../api/triggers.ts";
import { CopyField } from "../../../parts/copy-field.tsx";

type WebhookAddressProps = { organizationId: string; trigger: Trigger };

/** Where a webhook is delivered to, where that may be shown again. */
export function WebhookAddress({ organizationId, trigger }: WebhookAddressProps) {
  const address = useQuery(addressQuery(organizationId, trigger.id));
  if (address.isPending) return null;
  return (
    <div className="relative grid gap-1.5">
      {address.data ? (
        <>
          <CopyField label="Address" text={address.data} />
          <p className="flex items-start gap-1.5 text-xs text-muted">
            <ShieldCheck className="mt-px size-3.5 shrink-0" aria-hidden="true" />
            {signedWords(trigger)}
          </p>
        </>
      ) : (
        <>
          <p className="text-sm font-medium">Address</p>
          <p className="text-sm text-muted">{hiddenWords(trigger)}</p>
        </>
      )}
    </div>
  );
}

const signedWords = ({ signature }: Trigger): string =>
  signature === "standard"
    ? "Signed: each delivery carries webhook-id, webhook-timestamp and webhook-signature, made with the secret that was shown once."
    : "Signed by the service, with the secret of the account.";

function hiddenWords({ isRegistered, signature }: Trigger): string {
  if (isRegistered) return "The service was told it from here; nobody else needs it.";
  return signature === "none"
    ? "It was shown once: whoever knows it may deliver. Lost it? Make a new address."
    : "It was shown once, when this webhook was made. Make a new address to see it here.";
}
