import { type ReactNode, useId } from "react";
import { useFieldFault } from "./form.tsx";

export type FieldProps = { label: string; name: string; hint?: string };

type ControlProps = {
  id: string;
  name: string;
  className: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
};

/** A control with its label, its hint and what the server said about it. */
export function Field({ label, name, hint, control }: FieldProps & { control: (props: ControlProps) => ReactNode }) {
  const id = useId();
  const fault = useFieldFault(name);
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {control({
        id,
        name,
        className: controlLook,
        "aria-describedby": describedBy || undefined,
        "aria-invalid": fault ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} role="alert" className="text-sm text-danger">
          {label} {fault}.
        </p>
      )}
    </div>
  );
}

export const controlLook =
  "min-h-10 w-full min-w-0 rounded-md border border-field bg-surface px-3 py-2 text-base text-ink aria-invalid:border-danger [&[readonly]]:bg-page sm:text-sm";
