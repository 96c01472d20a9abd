import { type ReactNode, useId } from "react";

type CardProps = { title?: ReactNode; description?: ReactNode; action?: ReactNode; children?: ReactNode };

export function Card({ title, description, action, children }: CardProps) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={title ? titleId : undefined}
      className="rounded-xl border border-line bg-surface p-5 sm:p-6"
    >
      {title && (
        <div className={`flex flex-wrap items-start justify-between gap-3 ${children ? "mb-5" : ""}`}>
          <div className="min-w-0">
            <h2 id={titleId} className="text-base font-semibold">
              {title}
            </h2>
            {description && <p className="mt-1 text-sm text-muted">{description}</p>}
          </div>
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
