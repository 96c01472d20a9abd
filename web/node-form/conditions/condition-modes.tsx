export type ConditionMode = "rows" | "expression";

const words: Record<ConditionMode, string> = { rows: "Rows", expression: "Expression" };

type ConditionModesProps = {
  label: string;
  mode: ConditionMode;
  /** What is written now has no other form. */
  isBlocked: boolean;
  onChange: (mode: ConditionMode) => void;
};

/** In which form a condition is written. */
export function ConditionModes({ label, mode, isBlocked, onChange }: ConditionModesProps) {
  return (
    <fieldset className="flex shrink-0 rounded-md bg-hover p-0.5">
      <legend className="sr-only">How {label} is written</legend>
      {(["rows", "expression"] as const).map((entry) => (
        <button
          key={entry}
          type="button"
          aria-pressed={entry === mode}
          disabled={isBlocked && entry !== mode}
          title={isBlocked && entry !== mode ? reasons[entry] : undefined}
          onClick={() => entry !== mode && onChange(entry)}
          className="rounded px-1.5 py-0.5 text-xs text-muted enabled:hover:text-ink disabled:opacity-60 aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink"
        >
          {words[entry]}
        </button>
      ))}
    </fieldset>
  );
}

const reasons: Record<ConditionMode, string> = {
  rows: "Rows cannot show this expression.",
  expression: "Finish the rows first. A value that mixes text and references has no expression.",
};
