import { ChartGantt, Workflow } from "lucide-react";

type ViewSwitchProps = { view: "canvas" | "timeline"; onChange: (view: "canvas" | "timeline") => void };

export function ViewSwitch({ view, onChange }: ViewSwitchProps) {
  return (
    <fieldset className="flex w-fit gap-1 rounded-lg border border-line bg-surface p-1">
      <legend className="sr-only">How the run is shown</legend>
      {views.map(({ value, label, Icon }) => (
        <button
          key={value}
          type="button"
          aria-pressed={view === value}
          onClick={() => onChange(value)}
          className="flex min-h-8 items-center gap-2 rounded-md px-3 text-sm font-medium text-muted hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          <Icon className="size-4" aria-hidden="true" />
          {label}
        </button>
      ))}
    </fieldset>
  );
}

const views = [
  { value: "canvas", label: "Canvas", Icon: Workflow },
  { value: "timeline", label: "Timeline", Icon: ChartGantt },
] as const;
