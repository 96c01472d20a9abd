import { useState } from "react";
import { controlLook } from "../../parts/field.tsx";
import { fromUnit, inUnit, type Unit, unitOf, units } from "../durations.ts";
import { readNumber, writeText } from "../field-values.ts";
import type { ControlProps } from "../form-context.ts";

/** A time that is stored in milliseconds, in a unit that people think in. */
export function DurationControl({ value, onChange, ...control }: ControlProps) {
  const [chosen, setChosen] = useState<Unit>();
  const [draft, setDraft] = useState("");
  const unit = chosen ?? unitOf(value);
  const read = (text: string, as: Unit) => {
    const count = readNumber(text);
    return typeof count === "number" ? fromUnit(count, as) : count;
  };
  // While "1." is typed the value is 1 already.
  const isDraft = draft !== "" && read(draft, unit) === value;
  const text = isDraft ? draft : typeof value === "number" ? String(inUnit(value, unit)) : writeText(value);
  return (
    <div className="flex min-w-0 gap-2">
      <input
        id={control.id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        readOnly={control.readOnly}
        placeholder="5"
        value={text}
        onChange={(event) => {
          setChosen(unit);
          setDraft(event.target.value);
          onChange(read(event.target.value, unit));
        }}
        aria-describedby={control.describedBy}
        aria-invalid={control.isInvalid || undefined}
        aria-required={control.isRequired || undefined}
        className={`${controlLook} flex-1`}
      />
      <select
        aria-label={`Unit of ${control.label}`}
        disabled={control.readOnly}
        value={unit}
        onChange={(event) => {
          const next = event.target.value as Unit;
          setChosen(next);
          if (typeof value === "number") onChange(read(text, next));
        }}
        className={`${controlLook} w-auto! flex-1`}
      >
        {Object.keys(units).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
