export type Mode = "fixed" | "json" | "expression";

const words: Record<Mode, string> = { fixed: "Fixed", json: "JSON", expression: "Expression" };

type ModeSwitchProps = { label: string; modes: Mode[]; mode: Mode; onChange: (mode: Mode) => void };

/** Whether a field holds a value, or an expression that gives one when the workflow runs. */
export function ModeSwitch({ label, modes, mode, onChange }: ModeSwitchProps) {
  return (
    <fieldset className="flex shrink-0 rounded-md bg-hover p-0.5">
      <legend className="sr-only">How {label} is entered</legend>
      {modes.map((entry) => (
        <button
          key={entry}
          type="button"
          aria-pressed={entry === mode}
          onClick={() => entry !== mode && onChange(entry)}
          className="rounded px-1.5 py-0.5 text-xs text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink"
        >
          {words[entry]}
        </button>
      ))}
    </fieldset>
  );
}
