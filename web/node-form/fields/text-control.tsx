import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { buttonLook } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import type { TextShape } from "../field-shape.ts";
import { readText, writeText } from "../field-values.ts";
import { type ControlProps, useForm } from "../form-context.ts";
import { ChoicePicker } from "./choice-picker.tsx";
import { ExpressionControl } from "./expression-control.tsx";

/** A text; where references are allowed it offers to complete them. */
export function TextControl({ shape, ...control }: ControlProps & { shape: TextShape }) {
  const { expressions, choicesFrom, readOnly } = useForm();
  if (shape.isSecret) return <SecretControl {...control} />;
  const field = expressions ? (
    <ExpressionControl {...control} isBare={false} isLong={shape.isLong} />
  ) : (
    <PlainText {...control} isLong={shape.isLong} />
  );
  if (shape.offer === undefined || choicesFrom === undefined || readOnly) return field;
  return (
    <ChoicePicker {...control} source={choicesFrom} offer={shape.offer}>
      {field}
    </ChoicePicker>
  );
}

function PlainText({ isLong, ...control }: ControlProps & { isLong: boolean }) {
  const { id, value, onChange, readOnly, placeholder, describedBy, isInvalid, isRequired } = control;
  const common = {
    id,
    readOnly,
    placeholder,
    value: writeText(value),
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid || undefined,
    "aria-required": isRequired || undefined,
    onChange: (event: { target: { value: string } }) => onChange(readText(event.target.value)),
  };
  if (isLong) return <textarea {...common} rows={4} className={`${controlLook} block max-h-80 resize-y`} />;
  return <input type="text" autoComplete="off" spellCheck={false} {...common} className={controlLook} />;
}

function SecretControl({
  id,
  label,
  value,
  onChange,
  readOnly,
  placeholder,
  describedBy,
  isInvalid,
  isRequired,
}: ControlProps) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div className="flex gap-1.5">
      <input
        id={id}
        type={isShown ? "text" : "password"}
        // Browsers would otherwise offer the person's own password.
        autoComplete="new-password"
        spellCheck={false}
        readOnly={readOnly}
        placeholder={placeholder}
        value={writeText(value)}
        onChange={(event) => onChange(readText(event.target.value))}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        aria-required={isRequired || undefined}
        className={`${controlLook} font-mono`}
      />
      <button
        type="button"
        aria-pressed={isShown}
        aria-label={`Show ${label}`}
        onClick={() => setShown(!isShown)}
        className={`${buttonLook("bare")} shrink-0 px-2.5!`}
      >
        <Icon className="size-4" aria-hidden="true" />
      </button>
    </div>
  );
}
