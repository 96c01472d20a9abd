import type { ReactNode } from "react";

/** The part of a tab that scrolls. Positioned, so that words for assistive technology scroll with it and not the whole page. */
export function PanelBody({ children }: { children: ReactNode }) {
  return (
    <div className="relative min-h-0 flex-1 overflow-y-auto p-4">
      <div className="grid min-w-0 grid-cols-1 gap-4">{children}</div>
    </div>
  );
}
