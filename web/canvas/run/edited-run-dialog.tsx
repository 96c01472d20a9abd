import { type FormEvent, useId, useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import type { Rerun } from "../../api/runs.ts";
import { JsonField } from "../../pages/history/json-field.tsx";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";

type EditedRunDialogProps = {
  run: Run;
  rerun: { mutate: (body: Rerun, options: { onSuccess: () => void }) => void; isPending: boolean; isError: boolean; error: unknown };
  onClose: () => void;
};

export function EditedRunDialog({ run, rerun, onClose }: EditedRunDialogProps) {
  const promptId = useId();
  const [prompt, setPrompt] = useState(run.trigger.prompt);
  const [text, setText] = useState(() => JSON.stringify(run.trigger.payload ?? null, null, 2));
  const parsed = readJson(text, "anything");

  function submit(event: FormEvent) {
    event.preventDefault();
    if ("value" in parsed && !rerun.isPending) rerun.mutate({ from: "start", prompt, payload: parsed.value }, { onSuccess: onClose });
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run again with other input"
      description="All nodes run again on the same version of the workflow."
    >
      <form className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <div className="grid gap-1.5">
          <label htmlFor={promptId} className="text-sm font-medium">
            Prompt
          </label>
          <textarea id={promptId} rows={3} className={controlLook} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
        </div>
        <JsonField label="Payload (JSON)" text={text} fault={"fault" in parsed ? parsed.fault : undefined} onChange={setText} />
        {rerun.isError && <ProblemNotice error={rerun.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={rerun.isPending} disabled={"fault" in parsed} className="disabled:opacity-50">
            Run
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
