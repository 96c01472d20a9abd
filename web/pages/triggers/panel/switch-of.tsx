type SwitchOfProps<Value extends string> = {
  label: string;
  value: Value;
  options: Record<Value, string>;
  onChange: (value: Value) => void;
};

/** A few choices beside each other, of which one holds. */
export function SwitchOf<Value extends string>({ label, value, options, onChange }: SwitchOfProps<Value>) {
  return (
    <fieldset className="flex shrink-0 rounded-md bg-hover p-0.5">
      <legend className="sr-only">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([one, words]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => onChange(one)}
          className="min-h-8 rounded px-2.5 text-xs font-medium text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
