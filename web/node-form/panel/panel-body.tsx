import type { ReactNode } from "react";

/** The part of a pane that scrolls. Positioned, so that words for assistive technology scroll with it and not the whole page. */
export function PanelBody({ tight = false, children }: { tight?: boolean; children: ReactNode }) {
  return (
    <div className={`relative min-h-0 flex-1 overflow-y-auto ${tight ? "p-3" : "p-4"}`}>
      <div className={`grid min-w-0 grid-cols-1 ${tight ? "gap-3" : "gap-4"}`}>{children}</div>
    </div>
  );
}
