import { Search } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from "react";
import { controlLook } from "../../parts/field.tsx";

type FilterProps = { label: string; value: string | undefined; onChange: (value: string) => void };
export type FilterOption = { value: string; label: string };

/** Chooses one value; the empty one is all of them. A value that is not among the options is kept as it is. */
export function SelectFilter({
  label,
  value = "",
  onChange,
  options,
  all,
}: FilterProps & { options: FilterOption[]; all: string }) {
  const isKnown = value === "" || options.some((option) => option.value === value);
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} className={controlLook} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{all}</option>
          {!isKnown && <option value={value}>{value}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

const pauseMs = 300;

/** Takes effect a moment after the last letter. */
export function TextFilter({ label, value = "", onChange }: FilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    // What was taken over from here may have a blank more, after which the next word comes.
    if (text.trim() !== value) setText(value);
  }
  const tell = useEffectEvent(onChange);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => tell(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label className="relative block min-w-0 flex-1">
      <span className="sr-only">{label}</span>
      <Search className="pointer-events-none absolute top-3 left-3 size-4 text-muted" aria-hidden="true" />
      <input
        type="search"
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${controlLook} pl-9!`}
      />
    </label>
  );
}

/** A moment in the reader's time zone; the address has it in universal time. */
export function MomentFilter({ label, value = "", onChange }: FilterProps) {
  return (
    <Labelled label={label}>
      {(id) => (
        <input
          id={id}
          type="datetime-local"
          className={controlLook}
          value={toLocalInput(value)}
          onChange={({ target }) => onChange(target.value === "" ? "" : new Date(target.value).toISOString())}
        />
      )}
    </Labelled>
  );
}

function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
      {children(id)}
    </div>
  );
}

function toLocalInput(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
