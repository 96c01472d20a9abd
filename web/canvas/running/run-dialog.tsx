import { useId, useState } from "react";
import { startRun } from "../../api/runs.ts";
import { readJson } from "../../pages/history/read-json.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Editor } from "../editor/use-editor.ts";

export type RunInput = { prompt: string; payload: string };

type RunDialogProps = {
  editor: Editor;
  /** What the last run from here was started with. */
  input: RunInput;
  onInput: (input: RunInput) => void;
  onStarted: (runId: string) => void;
  onClose: () => void;
};

/** Starts what is published: a draft does not run. */
export function RunDialog({ editor, input, onInput, onStarted, onClose }: RunDialogProps) {
  const [fault, setFault] = useState<string>();
  const id = useId();
  const { version, draft } = editor.workflow;
  if (version === 0)
    return (
      <Dialog open onOpenChange={onClose} title="Publish it first" description={neverPublished}>
        <Button onClick={onClose}>Keep editing</Button>
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run this workflow"
      description="Both are optional. Nodes read them as $trigger.prompt and $trigger.payload."
    >
      {draft && (
        <div className="mb-4">
          <Notice kind="hint">This runs version {version}, which is live. To run your draft, publish it first.</Notice>
        </div>
      )}
      <Form
        submit="Run"
        wide
        send={async () => {
          setFault(undefined);
          const payload = readJson(input.payload.trim() || "null", "anything");
          if ("fault" in payload) return setFault(payload.fault);
          const { prompt } = input;
          const { id: runId } = await startRun(editor.organizationId, editor.workflow.id, {
            ...(prompt && { prompt }),
            payload: payload.value,
          });
          onStarted(runId);
        }}
      >
        <label className="grid gap-1.5 text-sm font-medium">
          Prompt
          <textarea
            rows={3}
            value={input.prompt}
            onChange={(event) => onInput({ ...input, prompt: event.target.value })}
            className={`${controlLook} font-normal`}
          />
        </label>
        <label className="grid gap-1.5 text-sm font-medium">
          Payload, as JSON
          <textarea
            rows={5}
            spellCheck={false}
            placeholder="{}"
            value={input.payload}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault && id}
            onChange={(event) => onInput({ ...input, payload: event.target.value })}
            className={`${controlLook} font-mono font-normal`}
          />
        </label>
        {fault && (
          <p id={id} role="alert" className="text-sm text-danger">
            {fault}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

const neverPublished = "Nothing of this workflow was published yet, so there is nothing to run.";
