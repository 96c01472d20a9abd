import type { FieldShape } from "../field-shape.ts";
import type { ControlProps } from "../form-context.ts";

type ToggleControlProps = ControlProps & { shape: Extract<FieldShape, { kind: "toggle" }> };

/** One of two values, on or off. It is on until somebody turns it off. */
export function ToggleControl({ shape: { on, off }, value, onChange, ...control }: ToggleControlProps) {
  const isOn = value !== off;
  return (
    <button
      type="button"
      id={control.id}
      role="switch"
      aria-checked={isOn}
      aria-label={control.label}
      aria-describedby={control.describedBy}
      disabled={control.readOnly}
      onClick={() => onChange(isOn ? off : on)}
      className={`inline-flex h-6 w-10 shrink-0 items-center justify-self-start rounded-full border px-0.5 ${isOn ? "border-accent bg-accent" : "border-field bg-hover"}`}
    >
      <span
        className={`size-4.5 rounded-full motion-safe:transition-transform ${isOn ? "translate-x-4 bg-on-accent" : "bg-field"}`}
      />
    </button>
  );
}
