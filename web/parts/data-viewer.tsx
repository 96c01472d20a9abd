import { Tabs } from "radix-ui";
import type { ReactNode } from "react";
import { CopyDataButton } from "./data-viewer/copy-data-button.tsx";
import { DataTable } from "./data-viewer/data-table.tsx";
import { isTable } from "./data-viewer/describe-data.ts";
import { JsonTree } from "./data-viewer/json-tree.tsx";
import { type Picking, PickingContext } from "./data-viewer/pick-button.tsx";
import { SchemaTree } from "./data-viewer/schema-tree.tsx";

type DataViewerProps = {
  value: unknown;
  label: string;
  /** Gets the reference of the field that was chosen. */
  onPick?: (path: string) => void;
  /** The reference of `value` itself, such as `$nodes.fetch.items`; references of its fields begin with it. */
  root?: string;
};

/** Any JSON as a table, as a tree and as its schema. Nothing is rendered before it is looked at, so large data opens at once. */
export function DataViewer({ value, label, onPick, root = "" }: DataViewerProps) {
  const hasTable = isTable(value);
  const picking: Picking | null = onPick ? { onPick } : null;
  return (
    <PickingContext value={picking}>
      <Tabs.Root defaultValue={hasTable ? "table" : "json"} className="grid min-w-0 gap-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Tabs.List aria-label={`How ${label} is shown`} className="flex gap-1">
            {hasTable && <Tab value="table">Table</Tab>}
            <Tab value="json">JSON</Tab>
            <Tab value="schema">Schema</Tab>
          </Tabs.List>
          <CopyDataButton value={value} label={label} />
        </div>
        {hasTable && (
          <Panel value="table">
            <DataTable value={value} label={label} root={root} />
          </Panel>
        )}
        <Panel value="json">
          <JsonTree value={value} label={label} path={root} />
        </Panel>
        <Panel value="schema">
          <SchemaTree value={value} label={label} path={root} />
        </Panel>
      </Tabs.Root>
    </PickingContext>
  );
}

function Tab({ value, children }: { value: string; children: string }) {
  return (
    <Tabs.Trigger
      value={value}
      className="min-h-8 rounded-md px-2.5 text-sm font-medium text-muted hover:bg-hover hover:text-ink data-[state=active]:bg-accent-soft data-[state=active]:text-accent-strong"
    >
      {children}
    </Tabs.Trigger>
  );
}

function Panel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Content
      value={value}
      className="max-h-[60vh] min-w-0 overflow-auto rounded-lg border border-line bg-surface text-sm outline-offset-[-2px]"
    >
      {children}
    </Tabs.Content>
  );
}
