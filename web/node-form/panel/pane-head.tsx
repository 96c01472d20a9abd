import { type DataViewName, dataViews, dataViewWords } from "../../parts/data-viewer.tsx";
import { OneOf } from "../../parts/one-of.tsx";
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
      <OneOf
        label={`How ${title} is shown`}
        value={view}
        options={dataViewWords}
        onChange={onView}
        blocked={Object.fromEntries(dataViews.filter((one) => !offered.includes(one)).map((one) => [one, noData]))}
        isSmall
      />
    </div>
  );
}

const noData = "There is no data yet, only what is known of its fields.";

const isView = (kept: unknown): kept is DataViewName => dataViews.some((view) => view === kept);

/** How somebody likes to see the data of a pane. */
export const useView = (pane: string, standard: DataViewName) => useKept<DataViewName>(`${pane}View`, standard, isView);
