import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import type { Rerun } from "../../api/runs.ts";
import { JsonField } from "../../pages/history/json-field.tsx";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { RerunProblem } from "../stepping/rerun-problem.tsx";

type EditedRunDialogProps = {
  run: Run;
  /** Where it shall begin; otherwise at the start. */
  nodeId?: string;
  titleOf: (nodeId: string) => string;
  rerun: {
    mutate: (body: Rerun, options?: { onSuccess: () => void }) => void;
    variables: Rerun | undefined;
    isPending: boolean;
    isError: boolean;
    error: unknown;
  };
  onClose: () => void;
};

/** Everything that can be otherwise when a run is run again. */
export function EditedRunDialog({ run, nodeId, titleOf, rerun, onClose }: EditedRunDialogProps) {
  const promptId = useId();
  const [version, setVersion] = useState("same");
  const [from, setFrom] = useState(nodeId === undefined ? "start" : atNode(nodeId));
  const [prompt, setPrompt] = useState(run.trigger.prompt);
  const [text, setText] = useState(() => JSON.stringify(run.trigger.payload ?? null, null, 2));
  const parsed = readJson(text, "anything");

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!("value" in parsed) || rerun.isPending) return;
    const input = { prompt, payload: parsed.value };
    rerun.mutate({ version: version as Rerun["version"], ...toBeginning(from), ...input }, { onSuccess: onClose });
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run again"
      description="What is finished and does not come after the node where the run begins keeps its results."
    >
      <form className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <VersionChoice run={run} value={version} onChange={setVersion} />
        <Choice label="Begin at" value={from} onChange={setFrom}>
          <option value="start">The start</option>
          {run.status === "failed" && <option value="failure">What failed</option>}
          {run.nodes.map(({ id }) => (
            <option key={id} value={atNode(id)}>
              {titleOf(id)}
            </option>
          ))}
        </Choice>
        <div className="grid gap-1.5">
          <label htmlFor={promptId} className="text-sm font-medium">
            Prompt
          </label>
          <textarea
            id={promptId}
            rows={3}
            className={controlLook}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        </div>
        <JsonField
          label="Payload (JSON)"
          text={text}
          fault={"fault" in parsed ? parsed.fault : undefined}
          onChange={setText}
        />
        {rerun.isError && <RerunProblem rerun={rerun} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={rerun.isPending}
            disabled={"fault" in parsed}
            className="disabled:opacity-50"
          >
            Run
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** No word of its own is the id of a node. */
const atNode = (nodeId: string): string => `node:${nodeId}`;

const toBeginning = (from: string): Pick<Rerun, "from" | "nodeId"> => {
  if (from === "start" || from === "failure") return { from };
  return { from: "node", nodeId: from.slice(atNode("").length) };
};

type VersionChoiceProps = { run: Run; value: string; onChange: (value: string) => void };

const VersionChoice = ({ run, ...choice }: VersionChoiceProps) => (
  <Choice label="Version" {...choice}>
    <option value="same">
      {run.canvas ? "The draft as it was then" : `Version ${run.workflowVersion}, which this run had`}
    </option>
    <option value="current">The published version</option>
    <option value="draft">The draft, with its pinned data</option>
  </Choice>
);

type ChoiceProps = { label: string; value: string; onChange: (value: string) => void; children: ReactNode };

function Choice({ label, value, onChange, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select id={id} className={controlLook} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  );
}
