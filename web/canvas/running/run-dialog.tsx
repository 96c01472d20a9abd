import { useId, useState } from "react";
import { startRun } from "../../api/runs.ts";
import { readJson } from "../../pages/history/read-json.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
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

export function RunDialog({ editor, input, onInput, onStarted, onClose }: RunDialogProps) {
  const [fault, setFault] = useState<string>();
  const id = useId();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run this workflow"
      description="Both are optional. Nodes read them as $trigger.prompt and $trigger.payload."
    >
      <Form
        submit="Run"
        wide
        send={async () => {
          setFault(undefined);
          const payload = readJson(input.payload.trim() || "null", "anything");
          if ("fault" in payload) return setFault(payload.fault);
          await saveFirst(editor);
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

/** A run takes the canvas that is saved; it must be the one that is seen. */
async function saveFirst({ saving: { autosave } }: Editor): Promise<void> {
  if (await autosave.flush()) return;
  const state = autosave.state.get();
  if (state.kind === "refused") throw state.error;
  throw notSaved(
    state.kind === "faulty"
      ? "The canvas has problems, so it is not saved and cannot run. They are listed above the canvas."
      : notRunnable,
  );
}

const notRunnable = "The canvas is not saved, so it cannot run yet.";

const notSaved = (message: string) =>
  Object.assign(new Error(message), { status: 400, code: "not_saved", requestId: undefined, errors: [] });
