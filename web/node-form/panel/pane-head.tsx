import { type DataViewName, dataViews, dataViewWords } from "../../parts/data-viewer.tsx";
import { useKept } from "../../parts/use-kept.ts";

type PaneHeadProps = {
  title: string;
  view: DataViewName;
  onView: (view: DataViewName) => void;
  /** Where there is no data, only what is known of its fields can be shown. */
  offered?: readonly DataViewName[];
};

/** Of a pane with data: what it is, and how it is shown. */
export function PaneHead({ title, view, onView, offered = dataViews }: PaneHeadProps) {
  return (
    <div className="flex min-h-12 shrink-0 items-center justify-between gap-2 border-b border-line px-3">
      <h3 className="truncate text-sm font-semibold">{title}</h3>
      <fieldset className="flex shrink-0 rounded-md bg-hover p-0.5">
        <legend className="sr-only">How {title} is shown</legend>
        {dataViews.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === view}
            disabled={!offered.includes(one)}
            onClick={() => onView(one)}
            className="min-h-6 rounded px-1.5 text-xs text-muted hover:text-ink disabled:opacity-50 aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink"
          >
            {dataViewWords[one]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

const isView = (kept: unknown): kept is DataViewName => dataViews.some((view) => view === kept);

/** How somebody likes to see the data of a pane. */
export const useView = (pane: string, standard: DataViewName) => useKept<DataViewName>(`${pane}View`, standard, isView);
