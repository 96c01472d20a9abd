import type { ReactNode } from "react";
import type { Schema } from "../field-shape.ts";
import { type ControlProps, type SchemaFieldProps, useForm } from "../form-context.ts";
import { FaultLines } from "./fault-lines.tsx";

type FieldFrameProps = SchemaFieldProps & {
  /** Made of several controls with labels of their own. */
  isGroup: boolean;
  modeSwitch: ReactNode;
  control: (props: ControlProps) => ReactNode;
};

export function FieldFrame({ isGroup, modeSwitch, control, ...field }: FieldFrameProps) {
  const { schema, pointer, label, value, onChange, isRequired = false, isEntry = false } = field;
  const { idPrefix, readOnly, faults: all } = useForm();
  const id = `${idPrefix}${pointer}`;
  const faults = all.filter(
    (fault) => fault.pointer === pointer || (!isGroup && fault.pointer.startsWith(`${pointer}/`)),
  );
  const hint = hintOf(schema, label);
  const describedBy = [hint && `${id}-hint`, faults.length > 0 && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  const isLabelHidden = isEntry && !isGroup;
  const look = isLabelHidden ? "sr-only" : "min-w-0 text-sm font-medium wrap-anywhere";
  const inside = control({
    id,
    label,
    value,
    onChange,
    readOnly,
    describedBy,
    isRequired,
    placeholder: placeholderOf(schema),
    isInvalid: faults.length > 0,
  });
  return (
    <div className="grid min-w-0 gap-1.5" data-pointer={pointer}>
      <div
        className={
          isLabelHidden && !modeSwitch ? "contents" : "flex flex-wrap items-center justify-between gap-x-3 gap-y-1"
        }
      >
        <FieldTitle id={id} isGroup={isGroup} className={look}>
          {label}
          {isRequired && <RequiredMark />}
        </FieldTitle>
        {modeSwitch}
      </div>
      {hint && isGroup && <Hint id={id} text={hint} />}
      {isGroup ? (
        <fieldset
          id={id}
          tabIndex={-1}
          aria-labelledby={`${id}-label`}
          aria-describedby={describedBy}
          className="grid min-w-0 gap-3"
        >
          {inside}
        </fieldset>
      ) : (
        inside
      )}
      {hint && !isGroup && <Hint id={id} text={hint} />}
      <FaultLines id={`${id}-fault`} label={label} faults={faults} />
    </div>
  );
}

type FieldTitleProps = { id: string; isGroup: boolean; className: string; children: ReactNode };

function FieldTitle({ id, isGroup, className, children }: FieldTitleProps) {
  return isGroup ? (
    <span id={`${id}-label`} className={className}>
      {children}
    </span>
  ) : (
    <label htmlFor={id} className={className}>
      {children}
    </label>
  );
}

function Hint({ id, text }: { id: string; text: string }) {
  return (
    <p id={`${id}-hint`} className="text-xs text-muted wrap-anywhere">
      {text}
    </p>
  );
}

/** Nothing where it would only say the label again. */
function hintOf({ description }: Schema, label: string): string | undefined {
  if (typeof description !== "string") return undefined;
  return description.replace(/\.$/, "").toLowerCase() === label.toLowerCase() ? undefined : description;
}

function RequiredMark() {
  return (
    <span className="ml-0.5 text-danger" title="Required">
      <span aria-hidden="true">*</span>
      <span className="sr-only"> (required)</span>
    </span>
  );
}

const examples: Record<string, string> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  email: "ann@example.com",
  uri: "https://example.com",
};

function placeholderOf({ default: standard, examples: given, format }: Schema): string | undefined {
  if (standard !== undefined && standard !== "")
    return `Default: ${typeof standard === "string" ? standard : JSON.stringify(standard)}`;
  if (Array.isArray(given) && given.length > 0) return String(given[0]);
  return examples[String(format)];
}
