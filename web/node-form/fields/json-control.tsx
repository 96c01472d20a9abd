import { useState } from "react";
import { controlLook } from "../../parts/field.tsx";
import { isSameJson, readJson, writeJson } from "../field-values.ts";
import { type ControlProps, useForm } from "../form-context.ts";

/** Any JSON as text. What cannot be read is said at once and does not replace the last value that could; it is kept until it can be read. */
export function JsonControl({
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
  const { unreadTexts } = useForm();
  const [draft, setDraft] = useState(() => unreadTexts.read(id, value));
  const read = draft === undefined ? undefined : readJson(draft);
  const isCurrent = read !== undefined && (read.fault !== undefined || isSameJson(read.value, value));
  const text = isCurrent ? (draft ?? "") : writeJson(value);
  const fault = isCurrent ? read.fault : undefined;
  return (
    <>
      <textarea
        id={id}
        rows={Math.min(14, Math.max(3, text.split("\n").length))}
        spellCheck={false}
        readOnly={readOnly}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setDraft(event.target.value);
          const next = readJson(event.target.value);
          if (next.fault !== undefined) return unreadTexts.keep(id, event.target.value, value);
          unreadTexts.forget(id);
          onChange(next.value);
        }}
        aria-describedby={fault ? `${id}-json` : describedBy}
        aria-invalid={isInvalid || fault !== undefined || undefined}
        aria-required={isRequired || undefined}
        className={`${controlLook} block resize-y font-mono text-xs!`}
      />
      {fault && (
        <p id={`${id}-json`} className="text-sm text-danger">
          {label} {fault}.
        </p>
      )}
    </>
  );
}
