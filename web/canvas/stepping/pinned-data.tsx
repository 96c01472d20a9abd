import { useMutation, useQuery } from "@tanstack/react-query";
import { Pencil, Pin as PinIcon, PinOff } from "lucide-react";
import { use, useState } from "react";
import type { RunNode } from "../../../src/runs/wire.ts";
import type { PinHead } from "../../../src/workflows/pin-wire.ts";
import { type Outputs, pinQuery } from "../../api/steps.ts";
import { JsonField } from "../../pages/history/json-field.tsx";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type Stepping, SteppingContext } from "./stepping-context.ts";

type PinnedDataProps = { organizationId: string; workflowId: string; nodeId: string };

/** What is pinned to a node, to be seen, changed and taken away; nothing where nothing is. */
export function PinnedData({ nodeId, ...place }: PinnedDataProps) {
  const stepping = use(SteppingContext);
  const pin = stepping?.pins.get(nodeId);
  return stepping && pin ? <Shown {...place} pin={pin} stepping={stepping} /> : null;
}

type ShownProps = { organizationId: string; workflowId: string; pin: PinHead; stepping: Stepping };

function Shown({ organizationId, workflowId, pin, stepping }: ShownProps) {
  const { data, error } = useQuery(pinQuery(organizationId, workflowId, pin));
  const [isEditing, setEditing] = useState(false);
  const removal = useMutation({ mutationFn: () => stepping.unpin(pin.nodeId) });
  return (
    <section aria-label="Pinned data" className="grid min-w-0 gap-2">
      <Notice kind="hint">
        Pinned: runs in the editor take this in place of what the node gives. Published runs never do.
      </Notice>
      <div className="flex flex-wrap gap-2">
        <Button disabled={!data} onClick={() => setEditing(true)}>
          <Pencil className="size-4" aria-hidden="true" />
          Edit as JSON
        </Button>
        <Button busy={removal.isPending} onClick={() => removal.mutate()}>
          <PinOff className="size-4" aria-hidden="true" />
          Unpin
        </Button>
      </div>
      {(error ?? removal.error) && <ProblemNotice error={error ?? removal.error} />}
      {data && <DataViewer value={shownOf(data.outputs)} label="pinned data" />}
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

function EditDialog({ outputs, save, onClose }: EditDialogProps) {
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

type PinOutputProps = { nodeId: string; own: RunNode | undefined };

/** Pins what came out of a node in the run that is shown, or data that somebody writes. */
export function PinOutput({ nodeId, own }: PinOutputProps) {
  const stepping = use(SteppingContext);
  const [isWriting, setWriting] = useState(false);
  const pinning = useMutation({
    mutationFn: (outputs: Outputs) => stepping?.pin(nodeId, outputs) ?? Promise.resolve(),
  });
  if (!stepping || stepping.pins.has(nodeId)) return null;
  const outputs = own && outputsOf(own);
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {outputs && (
          <Button busy={pinning.isPending} onClick={() => pinning.mutate(outputs)}>
            <PinIcon className="size-4" aria-hidden="true" />
            Pin this output
          </Button>
        )}
        {!outputs && (
          <Button onClick={() => setWriting(true)}>
            <Pencil className="size-4" aria-hidden="true" />
            Write sample data
          </Button>
        )}
      </div>
      {pinning.isError && <ProblemNotice error={pinning.error} />}
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

/** By way out, in the order in which a run lists them. */
export function outputsOf({ status, outputs, ways }: RunNode): Outputs | undefined {
  if (status !== "succeeded" || outputs === null) return undefined;
  let from = 0;
  return Object.fromEntries(
    Object.entries(ways).map(([way, count]) => {
      from += count;
      return [way, outputs.slice(from - count, from)];
    }),
  );
}
