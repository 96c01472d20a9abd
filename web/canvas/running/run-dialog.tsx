import { use, useId, useState } from "react";
import { triggerPinId } from "../../../src/workflows/pin-wire.ts";
import { readJson } from "../../pages/history/read-json.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { SteppingContext } from "../stepping/stepping-context.ts";

type RunInput = { prompt: string; payload: string };

type RunDialogProps = {
  /** What the last run from here was started with. */
  input: RunInput;
  onInput: (input: RunInput) => void;
  onClose: () => void;
};

export function RunDialog({ input, onInput, onClose }: RunDialogProps) {
  const [fault, setFault] = useState<string>();
  const id = useId();
  const stepping = use(SteppingContext);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run this workflow"
      description={`Runs what you see, with pinned data. Both fields are optional; nodes read them as $trigger.prompt and $trigger.payload.${stepping?.pins.has(triggerPinId) ? " Leave both empty to begin with the pinned trigger data." : ""}`}
    >
      <Form
        submit="Run"
        wide
        send={async () => {
          setFault(undefined);
          const payload = input.payload.trim() === "" ? { value: undefined } : readJson(input.payload, "anything");
          if ("fault" in payload) return setFault(payload.fault);
          await stepping?.runAll({ prompt: input.prompt, payload: payload.value });
          onClose();
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
