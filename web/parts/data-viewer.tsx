import { Tabs } from "radix-ui";
import { CopyDataButton } from "./data-viewer/copy-data-button.tsx";
import { DataTable } from "./data-viewer/data-table.tsx";
import { isTable } from "./data-viewer/describe-data.ts";
import { JsonTree } from "./data-viewer/json-tree.tsx";
import { type Picking, PickingContext } from "./data-viewer/pick-button.tsx";
import { SchemaTree } from "./data-viewer/schema-tree.tsx";

type DataProps = {
  value: unknown;
  label: string;
  /** Gets the reference of the field that was chosen. */
  onPick?: ((path: string) => void) | undefined;
  /** The reference of `value` itself, such as `$nodes.fetch.items`; references of its fields begin with it. */
  root?: string | undefined;
};

export const dataViews = ["table", "json", "schema"] as const;
export type DataViewName = (typeof dataViews)[number];
export const dataViewWords: Record<DataViewName, string> = { table: "Table", json: "JSON", schema: "Schema" };

/** Any JSON as a table, as a tree and as its schema. Nothing is rendered before it is looked at, so large data opens at once. */
export function DataViewer({ value, label, onPick, root }: DataProps) {
  const offered = dataViews.filter((view) => view !== "table" || isTable(value));
  return (
    <Tabs.Root defaultValue={offered[0] ?? "json"} className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Tabs.List aria-label={`How ${label} is shown`} className="flex gap-1">
          {offered.map((view) => (
            <Tabs.Trigger
              key={view}
              value={view}
              className="min-h-8 rounded-md px-2.5 text-sm font-medium text-muted hover:bg-hover hover:text-ink data-[state=active]:bg-accent-soft data-[state=active]:text-accent-strong"
            >
              {dataViewWords[view]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <CopyDataButton value={value} label={label} />
      </div>
      {offered.map((view) => (
        <Tabs.Content
          key={view}
          value={view}
          className="max-h-[60vh] min-w-0 overflow-auto rounded-lg border border-line bg-surface text-sm outline-offset-[-2px]"
        >
          <ShownData view={view} value={value} label={label} onPick={onPick} root={root} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

type ShownDataProps = DataProps & {
  view: DataViewName;
  /** `value` is a list of items, and `root` stands for each of them in turn. */
  isEach?: boolean;
};

/** The same in one of the ways. What is no table is shown as a tree. */
export function ShownData({ view, value, label, onPick, root = "", isEach = false }: ShownDataProps) {
  const picking: Picking | null = onPick ? { onPick } : null;
  return <PickingContext value={picking}>{draw()}</PickingContext>;

  function draw() {
    if (view === "schema") return <SchemaTree value={value} label={label} path={root} isEach={isEach} />;
    if (view === "table" && isTable(value))
      return <DataTable value={value} label={label} root={root} isEach={isEach} />;
    return <JsonTree value={value} label={label} path={root} isEach={isEach} />;
  }
}
