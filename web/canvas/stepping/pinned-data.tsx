import { useMutation, useQuery } from "@tanstack/react-query";
import { Pencil, Pin as PinIcon, PinOff } from "lucide-react";
import { type ReactNode, use, useState } from "react";
import type { PinHead } from "../../../src/workflows/pin-wire.ts";
import { type Outputs, pinQuery } from "../../api/steps.ts";
import { JsonField } from "../../pages/history/json-field.tsx";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { ToolButton } from "../flow/tool-button.tsx";
import { counted } from "../words.ts";
import { type Stepping, SteppingContext } from "./stepping-context.ts";

type PinnedDataProps = {
  organizationId: string;
  workflowId: string;
  nodeId: string;
  /** How the data itself is drawn. */
  draw: (value: unknown, label: string) => ReactNode;
};

/** What is pinned to a node, to be seen, changed and taken away; nothing where nothing is. */
export function PinnedData({ nodeId, ...rest }: PinnedDataProps) {
  const stepping = use(SteppingContext);
  const pin = stepping?.pins.get(nodeId);
  return stepping && pin ? <Shown {...rest} pin={pin} stepping={stepping} /> : null;
}

type ShownProps = Omit<PinnedDataProps, "nodeId"> & { pin: PinHead; stepping: Stepping };

function Shown({ organizationId, workflowId, draw, pin, stepping }: ShownProps) {
  const { data, error } = useQuery(pinQuery(organizationId, workflowId, pin));
  const [isEditing, setEditing] = useState(false);
  const removal = stepping.pinning?.nodeId === pin.nodeId ? stepping.pinning : undefined;
  const problem = error ?? removal?.error;
  return (
    <section aria-label="Pinned data" className="grid min-w-0 gap-2">
      <div className="flex min-w-0 items-center gap-2 text-xs text-muted">
        <span className="inline-flex shrink-0 items-center gap-1.5 rounded-full bg-accent-soft px-2 py-0.5 font-medium text-accent">
          <PinIcon className="size-3" aria-hidden="true" />
          Pinned
        </span>
        <span className="min-w-0 flex-1 truncate">
          {counted(pin.items, "item")} · {(pin.bytes / 1000).toFixed(1)} kB
        </span>
        <ToolButton label="Edit as JSON" aria-disabled={!data} onClick={() => data && setEditing(true)}>
          <Pencil className="size-4" aria-hidden="true" />
        </ToolButton>
        <ToolButton
          label="Unpin"
          aria-disabled={removal?.isPending ?? false}
          onClick={() => stepping.unpinOutput(pin.nodeId)}
        >
          <PinOff className="size-4" aria-hidden="true" />
        </ToolButton>
      </div>
      <p className="text-xs text-muted">
        Runs in the editor take this in place of what the node gives. Published runs never do.
      </p>
      {problem ? <ProblemNotice error={problem} /> : null}
      {data && draw(shownOf(data.outputs), "pinned data")}
      {isEditing && data && (
        <EditDialog
          outputs={data.outputs}
          save={(outputs) => stepping.pin(pin.nodeId, outputs)}
          onClose={() => setEditing(false)}
        />
      )}
    </section>
  );
}

/** Where a node has one way out, people see the items alone. */
const shownOf = (outputs: Outputs): unknown => (isPlain(outputs) ? outputs.out : outputs);
const isPlain = (outputs: Outputs): boolean => Object.keys(outputs).join() === "out";

type EditDialogProps = { outputs: Outputs; save: (outputs: Outputs) => Promise<void>; onClose: () => void };

export function EditDialog({ outputs, save, onClose }: EditDialogProps) {
  const plain = isPlain(outputs);
  const [text, setText] = useState(() => JSON.stringify(shownOf(outputs), null, 2));
  const parsed = readJson(text, "anything");
  const saving = useMutation({
    mutationFn: (value: unknown) => save((plain ? { out: value } : value) as Outputs),
    onSuccess: onClose,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Pinned data"
      description={plain ? "A list of items, each a JSON object." : "By way out of the node, a list of items each."}
    >
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
        {saving.isError && <ProblemNotice error={saving.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={saving.isPending} disabled={"fault" in parsed}>
            Pin
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Pins what came out of a node in the run that is shown, or data that somebody writes. */
export function PinOutput({ nodeId }: { nodeId: string }) {
  const stepping = use(SteppingContext);
  const [isWriting, setWriting] = useState(false);
  if (!stepping || stepping.pins.has(nodeId)) return null;
  const pinning = stepping.pinning?.nodeId === nodeId ? stepping.pinning : undefined;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {stepping.outputsOf(nodeId) ? (
          <Button
            className="min-h-8! px-2.5!"
            title="Pin this output (P)"
            busy={pinning?.isPending ?? false}
            onClick={() => stepping.pinOutput(nodeId)}
          >
            <PinIcon className="size-4" aria-hidden="true" />
            Pin this output
          </Button>
        ) : (
          <Button className="min-h-8! px-2.5!" onClick={() => setWriting(true)}>
            <Pencil className="size-4" aria-hidden="true" />
            Write sample data
          </Button>
        )}
      </div>
      {pinning?.error ? <ProblemNotice error={pinning.error} /> : null}
      {isWriting && (
        <EditDialog
          outputs={sample}
          save={(written) => stepping.pin(nodeId, written)}
          onClose={() => setWriting(false)}
        />
      )}
    </div>
  );
}

const sample: Outputs = { out: [{}] };
