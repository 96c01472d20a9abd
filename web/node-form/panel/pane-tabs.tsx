import { Tabs } from "radix-ui";
import type { ReactNode } from "react";

export type TabName = "incoming" | "form" | "output" | "settings";

type PaneTabsProps = {
  label: string;
  tab: TabName;
  onTab: (tab: TabName) => void;
  tabs: readonly PaneTab[];
  /** Beside the tabs. */
  children?: ReactNode;
};

export type PaneTab = { name: TabName; title: string; faultCount?: number; content: ReactNode };

/** Some of the panes, one at a time. The form stays there while another is shown, so that references can be put into it. */
export function PaneTabs({ label, tab, onTab, tabs, children }: PaneTabsProps) {
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next) => onTab(tabs.find(({ name }) => name === next)?.name ?? tab)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex min-h-12 shrink-0 items-stretch justify-between gap-2 border-b border-line px-2">
        <Tabs.List aria-label={label} className="-mb-px flex min-w-0 overflow-x-auto">
          {tabs.map(({ name, title, faultCount = 0 }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              {...paneMark(name)}
              className="min-h-11 shrink-0 border-b-2 border-transparent px-2 text-sm font-medium text-muted outline-offset-[-2px] hover:text-ink data-[state=active]:border-accent data-[state=active]:text-accent"
            >
              {title}
              {faultCount > 0 && (
                <span className="ml-1.5 rounded-full bg-danger-soft px-1.5 py-0.5 text-xs text-danger">
                  {faultCount}
                  <span className="sr-only">{faultCount === 1 ? " fault" : " faults"}</span>
                </span>
              )}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <div className="flex items-center">{children}</div>
      </div>
      {tabs.map(({ name, content }) => (
        <Tabs.Content
          key={name}
          value={name}
          {...(name === "form" ? { forceMount: true as const } : {})}
          {...paneMark(name)}
          className={`flex min-h-0 flex-1 flex-col outline-offset-[-2px] data-[state=inactive]:hidden ${name === "incoming" || name === "output" ? "bg-page" : ""}`}
        >
          {content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

/** F6 goes to the tabs of panes; settings are part of the form. */
const paneMark = (name: TabName) => ({ "data-pane": name === "settings" ? undefined : name });
