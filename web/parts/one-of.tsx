type OneOfProps<Value extends string> = {
  label: string;
  value: Value;
  options: Partial<Record<Value, string>>;
  onChange: (value: Value) => void;
  /** Why one cannot be chosen now. */
  blocked?: Partial<Record<Value, string>>;
  disabled?: boolean;
  /** Beside the label of a field there is less room than above a list. */
  isSmall?: boolean;
};

/** A few choices beside each other, of which one holds. */
export function OneOf<Value extends string>(props: OneOfProps<Value>) {
  const blocked: Partial<Record<Value, string>> = props.blocked ?? {};
  const { label, value, options, onChange, disabled = false, isSmall = false } = props;
  return (
    <fieldset disabled={disabled} className="flex shrink-0 rounded-md bg-hover p-0.5">
      <legend className="sr-only">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([one, words]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          disabled={one !== value && one in blocked}
          title={one === value ? undefined : blocked[one]}
          onClick={() => one !== value && onChange(one)}
          className={`${isSmall ? "px-2 py-0.5" : "min-h-8 px-2.5"} rounded text-xs font-medium text-muted enabled:hover:text-ink disabled:opacity-60 aria-pressed:bg-surface aria-pressed:text-ink`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
