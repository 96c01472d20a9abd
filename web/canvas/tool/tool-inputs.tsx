import { Plus, Trash2 } from "lucide-react";
import { useId, useRef } from "react";
import { type ToolInput, toolInputTypes } from "../../../src/workflows/wire.ts";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { useFieldFault } from "../../parts/form.tsx";

type ToolInputsProps = { inputs: ToolInput[]; onChange: (inputs: ToolInput[]) => void };

const blank: ToolInput = { name: "", type: "string", description: "", required: true };

/** What a client hands over when it calls the tool. */
export function ToolInputs({ inputs, onChange }: ToolInputsProps) {
  const list = useRef<HTMLUListElement>(null);
  const add = () => {
    onChange([...inputs, blank]);
    // Once the new row is there.
    setTimeout(() => list.current?.querySelector<HTMLElement>("li:last-child input")?.focus());
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Inputs</legend>
      <p className="text-xs text-muted">
        Nodes read an input as <code className="font-mono">$trigger.payload.name</code>.
      </p>
      <ul ref={list} className="grid gap-3">
        {inputs.map((input, index) => (
          <InputRow
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while theirs is typed.
            key={index}
            index={index}
            input={input}
            onChange={(changed) => onChange(inputs.with(index, changed))}
            onRemove={() => onChange(inputs.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <Button className="justify-self-start" onClick={add}>
        <Plus className="size-4" aria-hidden="true" />
        Add an input
      </Button>
    </fieldset>
  );
}

type InputRowProps = { index: number; input: ToolInput; onChange: (input: ToolInput) => void; onRemove: () => void };

function InputRow({ index, input, onChange, onRemove }: InputRowProps) {
  const id = useId();
  const field = `tool/inputs/${index}/name`;
  const fault = useFieldFault(field);
  const label = `Input ${index + 1}`;
  return (
    <li className="grid gap-2 rounded-lg border border-line p-3">
      <div className="flex gap-2">
        <input
          aria-label={`${label}: name`}
          name={field}
          placeholder="name"
          maxLength={64}
          value={input.name}
          onChange={(event) => onChange({ ...input, name: event.target.value })}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? id : undefined}
          className={`${controlLook} font-mono`}
        />
        <Button look="bare" className="px-2!" aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <Trash2 className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {fault && (
        <p id={id} role="alert" className="text-sm text-danger">
          The name {fault}.
        </p>
      )}
      <input
        aria-label={`${label}: what it is`}
        placeholder="What it is, for the model that calls"
        maxLength={1000}
        value={input.description}
        onChange={(event) => onChange({ ...input, description: event.target.value })}
        className={controlLook}
      />
      <div className="flex items-center justify-between gap-3">
        <select
          aria-label={`${label}: type`}
          value={input.type}
          onChange={(event) => {
            const type = toolInputTypes.find((one) => one === event.target.value);
            if (type) onChange({ ...input, type });
          }}
          className={`${controlLook} w-44!`}
        >
          {toolInputTypes.map((type) => (
            <option key={type} value={type}>
              {words[type]}
            </option>
          ))}
        </select>
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={input.required}
            onChange={(event) => onChange({ ...input, required: event.target.checked })}
            className="size-4 accent-accent"
          />
          Required
        </label>
      </div>
    </li>
  );
}

const words: Record<ToolInput["type"], string> = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  object: "Object",
  array: "List",
};
