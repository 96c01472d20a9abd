import { useId } from "react";
import { controlLook } from "../../parts/field.tsx";

type JsonFieldProps = {
  label: string;
  text: string;
  fault: string | undefined;
  onChange: (text: string) => void;
  rows?: number;
};

/** JSON to write by hand; what is wrong with it is said below at once. */
export function JsonField({ label, text, fault, onChange, rows = 10 }: JsonFieldProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault && `${id}-fault`}
        onChange={(event) => onChange(event.target.value)}
        className={`${controlLook} font-mono text-xs!`}
      />
      {fault && (
        <p id={`${id}-fault`} className="text-sm text-danger">
          {fault}
        </p>
      )}
    </div>
  );
}
