import type { ReactNode } from "react";

/** A titled piece of data in the panel beside a run. */
export function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="grid min-w-0 grid-cols-1 gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {hint && <p className="-mt-1 text-xs text-muted">{hint}</p>}
      {children}
    </section>
  );
}
