import { controlLook } from "../../parts/field.tsx";
import type { Choice } from "../field-shape.ts";
import { isSameJson, writeText } from "../field-values.ts";
import type { ControlProps } from "../form-context.ts";

type ChoiceControlProps = ControlProps & { options: readonly Choice[] };

/** One of a few values, or none of them. */
export function ChoiceControl({ options, value, onChange, placeholder, ...control }: ChoiceControlProps) {
  const chosen = options.findIndex((option) => isSameJson(option.value, value));
  const isOther = chosen === -1 && value !== undefined && value !== null;
  return (
    <select
      id={control.id}
      disabled={control.readOnly}
      value={isOther ? "other" : String(chosen)}
      onChange={(event) => onChange(options[Number(event.target.value)]?.value)}
      aria-describedby={control.describedBy}
      aria-invalid={control.isInvalid || undefined}
      aria-required={control.isRequired || undefined}
      className={`${controlLook} ${chosen === -1 ? "text-muted" : ""}`}
    >
      <option value="-1">{placeholder ?? (control.isRequired ? "Choose" : "Not set")}</option>
      {isOther && <option value="other">{writeText(value)}</option>}
      {options.map((option, index) => (
        <option key={writeText(option.value)} value={String(index)}>
          {option.title ?? writeText(option.value)}
        </option>
      ))}
    </select>
  );
}
