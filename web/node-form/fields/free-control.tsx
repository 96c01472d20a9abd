import { useState } from "react";
import { controlLook } from "../../parts/field.tsx";
import { convertFree, type FreeKind, freeKindOf, freeKinds } from "../field-values.ts";
import { type ControlProps, useForm } from "../form-context.ts";
import { BooleanControl } from "./boolean-control.tsx";
import { JsonControl } from "./json-control.tsx";
import { NumberControl } from "./number-control.tsx";
import { TextControl } from "./text-control.tsx";

/** A value of any type: the type is chosen beside it. */
export function FreeControl(control: ControlProps) {
  const { id, label, value, onChange, readOnly } = control;
  const { unreadTexts } = useForm();
  const [chosen, setChosen] = useState<FreeKind | undefined>(() =>
    unreadTexts.read(id, jsonOf(value)) === undefined ? undefined : "json",
  );
  const isEmpty = value === undefined || value === "" || value === null;
  const kind =
    isEmpty || (chosen === "json" && typeof value !== "string") ? (chosen ?? freeKindOf(value)) : freeKindOf(value);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5">
      <div className="grid min-w-0 gap-1.5">
        <FreeValue {...control} kind={kind} />
      </div>
      <select
        id={`${id}-kind`}
        aria-label={`Type of ${label}`}
        disabled={readOnly}
        value={kind}
        onChange={(event) => {
          const next = freeKinds.find((entry) => entry === event.target.value) ?? "text";
          setChosen(next);
          unreadTexts.forget(id);
          onChange(convertFree(value, next));
        }}
        className={`${controlLook} w-auto! px-1.5! text-xs! text-muted`}
      >
        {freeKinds.map((entry) => (
          <option key={entry} value={entry}>
            {kindNames[entry]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** An empty text is an empty value there. */
const jsonOf = (value: unknown) => (value === "" ? undefined : value);

const kindNames: Record<FreeKind, string> = { text: "Text", number: "Number", boolean: "Yes/no", json: "JSON" };
const anyText = {
  kind: "text",
  isLong: false,
  isSecret: false,
  format: undefined,
  example: undefined,
  offer: undefined,
} as const;
const anyNumber = { kind: "number", isInteger: false, minimum: undefined, maximum: undefined } as const;

function FreeValue({ kind, ...control }: ControlProps & { kind: FreeKind }) {
  if (kind === "number") return <NumberControl {...control} shape={anyNumber} />;
  if (kind === "boolean") return <BooleanControl {...control} />;
  if (kind === "json") return <JsonControl {...control} value={jsonOf(control.value)} />;
  return <TextControl {...control} shape={anyText} />;
}
