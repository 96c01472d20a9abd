import { useQuery } from "@tanstack/react-query";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { samplesQuery } from "../../api/triggers.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Outcome } from "./poll-sample.tsx";

type SampleDialogProps = { organizationId: string; trigger: Trigger; onClose: () => void };

/** What a poll that exists would find now. */
export function SampleDialog({ organizationId, trigger, onClose }: SampleDialogProps) {
  const { provider, credentialId, poll } = trigger;
  const request = { provider: provider ?? "", event: poll?.event ?? "", parameters: poll?.parameters ?? {} };
  const samples = useQuery(samplesQuery(organizationId, { ...request, ...(credentialId && { credentialId }) }));
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={`Sample of “${trigger.name}”`}
      description="What its runs would get, from what is there now. Nothing starts."
    >
      <div className="grid min-w-0 gap-4">
        <Outcome shown={{ ...samples, isPending: samples.isFetching }} />
        <Button className="justify-self-start" busy={samples.isFetching} onClick={() => void samples.refetch()}>
          Look again
        </Button>
      </div>
    </Dialog>
  );
}
