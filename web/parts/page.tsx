import type { ReactNode } from "react";
import { useDocumentTitle } from "./use-document-title.ts";

type PageProps = { title: string; description?: ReactNode; action?: ReactNode; wide?: boolean; children: ReactNode };

/** The frame of every page inside the shell. */
export function Page({ title, description, action, wide = false, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className={`mx-auto w-full px-4 py-8 sm:px-8 sm:py-12 ${wide ? "max-w-7xl" : "max-w-4xl"}`}>
      <header className="mb-8 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {description && <p className="mt-1.5 text-muted">{description}</p>}
        </div>
        {action}
      </header>
      <div className="grid grid-cols-1 gap-6">{children}</div>
    </div>
  );
}
