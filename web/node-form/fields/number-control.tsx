import { useState } from "react";
import { controlLook } from "../../parts/field.tsx";
import type { FieldShape } from "../field-shape.ts";
import { readNumber, writeText } from "../field-values.ts";
import type { ControlProps } from "../form-context.ts";

type NumberControlProps = ControlProps & { shape: Extract<FieldShape, { kind: "number" }> };

export function NumberControl({ shape, value, onChange, placeholder, ...control }: NumberControlProps) {
  const [draft, setDraft] = useState("");
  // While "1." is typed the value is 1 already.
  const text = draft !== "" && readNumber(draft) === value ? draft : writeText(value);
  return (
    <input
      id={control.id}
      type="text"
      inputMode={shape.isInteger ? "numeric" : "decimal"}
      autoComplete="off"
      readOnly={control.readOnly}
      placeholder={placeholder ?? rangeOf(shape)}
      value={text}
      onChange={(event) => {
        setDraft(event.target.value);
        onChange(readNumber(event.target.value));
      }}
      aria-describedby={control.describedBy}
      aria-invalid={control.isInvalid || undefined}
      aria-required={control.isRequired || undefined}
      className={controlLook}
    />
  );
}

function rangeOf({ minimum, maximum }: NumberControlProps["shape"]): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `At least ${minimum}`;
  return maximum === undefined ? undefined : `At most ${maximum}`;
}
