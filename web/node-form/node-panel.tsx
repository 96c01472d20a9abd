import { Tabs } from "radix-ui";
import { type KeyboardEvent, type ReactNode, use, useEffect, useEffectEvent, useState } from "react";
import { SteppingContext } from "../canvas/stepping/stepping-context.ts";
import { focusField } from "./focus-field.ts";
import { faultsBelow } from "./panel/faults-below.ts";
import { InputTab } from "./panel/input-tab.tsx";
import type { NodePanelProps } from "./panel/node-panel-props.ts";
import { OutputTab } from "./panel/output-tab.tsx";
import { PanelBody } from "./panel/panel-body.tsx";
import { PanelHeader } from "./panel/panel-header.tsx";
import { ParametersTab } from "./panel/parameters-tab.tsx";
import { SettingsTab } from "./panel/settings-tab.tsx";

type TabName = "parameters" | "settings" | "input" | "output";

/** Everything about one node of a canvas: what it does, with what, and what came in and out in a run. */
export function NodePanel(props: NodePanelProps) {
  const { node, kind, faults, field, timesLed, onClose } = props;
  const [tab, setTab] = useState<TabName>(tabOf(field));
  const idPrefix = `node-${node.id}`;
  useFocus({ idPrefix, field, timesLed }, setTab);

  const stepping = use(SteppingContext);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // A dialog opened from here is a child for React, but not part of the panel.
    if (!event.currentTarget.contains(event.target as Node)) return;
    if (event.key === "Escape") onClose();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      stepping?.step(node.id, "node");
    }
  };

  return (
    <section
      aria-label={`Node ${node.name ?? kind?.title ?? node.id}`}
      onKeyDown={onKeyDown}
      className="flex h-full min-h-0 min-w-0 flex-col"
    >
      <PanelHeader {...props} idPrefix={idPrefix} />
      <Tabs.Root value={tab} onValueChange={(next) => setTab(next as TabName)} className="flex min-h-0 flex-1 flex-col">
        <Tabs.List aria-label="Parts of the node" className="flex gap-1 overflow-x-auto border-b border-line px-3">
          <Tab value="parameters" faultCount={faults.length - faultsBelow(faults, "/settings").length}>
            Parameters
          </Tab>
          <Tab value="settings" faultCount={faultsBelow(faults, "/settings").length}>
            Settings
          </Tab>
          <Tab value="input">Input</Tab>
          <Tab value="output">Output</Tab>
        </Tabs.List>
        <Panel value="parameters">
          <ParametersTab {...props} idPrefix={idPrefix} />
        </Panel>
        <Panel value="settings">
          <PanelBody>
            <SettingsTab {...props} idPrefix={idPrefix} />
          </PanelBody>
        </Panel>
        <Panel value="input">
          <PanelBody>
            <InputTab {...props} />
          </PanelBody>
        </Panel>
        <Panel value="output">
          <PanelBody>
            <OutputTab {...props} />
          </PanelBody>
        </Panel>
      </Tabs.Root>
    </section>
  );
}

const tabOf = (field: string | undefined): TabName =>
  /^\/(settings|note)/.test(field ?? "") ? "settings" : "parameters";

type Focus = { idPrefix: string } & Pick<NodePanelProps, "field" | "timesLed">;

/** Goes to a field when the address names one, when it names another later, and when somebody is led there again. */
function useFocus({ idPrefix, field, timesLed }: Focus, setTab: (tab: TabName) => void): void {
  const show = useEffectEvent((pointer: string) => {
    setTab(tabOf(pointer));
    // The tab is shown with the next picture.
    requestAnimationFrame(() => focusField(idPrefix, pointer));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: led to the same field again, one goes there again.
  useEffect(() => {
    if (field) show(field);
  }, [field, timesLed]);
}

function Tab({ value, faultCount = 0, children }: { value: TabName; faultCount?: number; children: string }) {
  return (
    <Tabs.Trigger
      value={value}
      className="min-h-10 shrink-0 border-b-2 border-transparent px-2.5 text-sm font-medium text-muted outline-offset-[-2px] hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
    >
      {children}
      {faultCount > 0 && (
        <span className="ml-1.5 rounded-full bg-danger-soft px-1.5 py-0.5 text-xs text-danger">
          {faultCount}
          <span className="sr-only">{faultCount === 1 ? " fault" : " faults"}</span>
        </span>
      )}
    </Tabs.Trigger>
  );
}

function Panel({ value, children }: { value: TabName; children: ReactNode }) {
  return (
    <Tabs.Content value={value} className="flex min-h-0 flex-1 flex-col outline-offset-[-2px]">
      {children}
    </Tabs.Content>
  );
}
