import { useMutation, useQuery } from "@tanstack/react-query";
import { PinOff, Pin as PinSign } from "lucide-react";
import { use, useState } from "react";
import { type PinHead, triggerPinId } from "../../../src/workflows/pin-wire.ts";
import { type Outputs, pinQuery } from "../../api/steps.ts";
import { JsonField } from "../../pages/history/json-field.tsx";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type Stepping, SteppingContext } from "../stepping/stepping-context.ts";

type PinnedTriggerProps = { organizationId: string; workflowId: string };

/** The mark of pinned trigger data, which opens it; nothing where nothing is pinned. */
export function PinnedTrigger(place: PinnedTriggerProps) {
  const stepping = use(SteppingContext);
  const pin = stepping?.pins.get(triggerPinId);
  const [isOpen, setOpen] = useState(false);
  if (!stepping || !pin) return null;
  return (
    <>
      <button
        type="button"
        title="Runs in the editor begin with pinned data. Press to see it."
        onClick={() => setOpen(true)}
        className="nodrag nopan pointer-events-auto inline-flex h-6 items-center gap-1 rounded-md border border-warning bg-surface px-1.5 text-xs whitespace-nowrap text-warning hover:bg-warning-soft"
      >
        <PinSign className="size-3.5" aria-hidden="true" />
        Pinned trigger data
      </button>
      {isOpen && <PinnedDialog {...place} pin={pin} stepping={stepping} onClose={() => setOpen(false)} />}
    </>
  );
}

type PinnedDialogProps = PinnedTriggerProps & { pin: PinHead; stepping: Stepping; onClose: () => void };

function PinnedDialog({ organizationId, workflowId, pin, stepping, onClose }: PinnedDialogProps) {
  const { data, error } = useQuery(pinQuery(organizationId, workflowId, pin));
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title="Pinned trigger data"
      description="Runs in the editor begin with this, as $trigger. Published runs never do."
    >
      {error && <ProblemNotice error={error} />}
      {data && <PinnedForm outputs={data.outputs} stepping={stepping} onDone={onClose} />}
    </Dialog>
  );
}

type PinnedFormProps = { outputs: Outputs; stepping: Stepping; onDone: () => void };

function PinnedForm({ outputs, stepping, onDone }: PinnedFormProps) {
  const [text, setText] = useState(() => JSON.stringify(outputs.out?.[0] ?? {}, null, 2));
  const parsed = readJson(text, "anything");
  const saving = useMutation({
    mutationFn: (item: unknown) => stepping.pin(triggerPinId, { out: [item] } as Outputs),
    onSuccess: onDone,
  });
  const removal = useMutation({ mutationFn: () => stepping.unpin(triggerPinId), onSuccess: onDone });
  const problem = saving.error ?? removal.error;
  return (
    <form
      className="grid grid-cols-1 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if ("value" in parsed) saving.mutate(parsed.value);
      }}
    >
      <JsonField
        label="Data (JSON)"
        text={text}
        fault={"fault" in parsed ? parsed.fault : undefined}
        onChange={setText}
      />
      {problem && <ProblemNotice error={problem} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button busy={removal.isPending} onClick={() => removal.mutate()}>
          <PinOff className="size-4" aria-hidden="true" />
          Unpin
        </Button>
        <Button type="submit" look="primary" busy={saving.isPending} disabled={"fault" in parsed}>
          Pin
        </Button>
      </div>
    </form>
  );
}
