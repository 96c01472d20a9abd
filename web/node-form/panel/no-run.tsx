import type { ReactNode } from "react";

/** A heading with data below it. */
export function DataPart({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-1.5">
      <h3 className="text-sm font-medium">
        {title}{" "}
        {count !== undefined && (
          <span className="ml-1 font-normal text-muted">{count === 1 ? "1 item" : `${count} items`}</span>
        )}
      </h3>
      {children}
    </section>
  );
}

export function NoRun({ what }: { what: string }) {
  return <p className="text-sm text-muted">There is no run to show. Run the step, and {what} is shown here.</p>;
}
