import { useId } from "react";
import { controlLook } from "../../parts/field.tsx";
import type { FieldFault } from "../../problem.ts";

export function NameField({
  value,
  onChange,
  faults,
}: {
  value: string;
  onChange: (name: string) => void;
  faults: FieldFault[];
}) {
  const id = useId();
  const fault = faults.find(({ pointer }) => pointer === "/name")?.detail;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Name
      </label>
      <input
        id={id}
        value={value}
        maxLength={100}
        required
        autoComplete="off"
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.value)}
        className={controlLook}
      />
      <p id={`${id}-note`} className={fault ? "text-sm text-danger" : "text-xs text-muted"}>
        {fault ? `Name ${fault}.` : "How you and others find it, for example whose account it is."}
      </p>
    </div>
  );
}
