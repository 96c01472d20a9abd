import { createContext, type ReactNode, use } from "react";
import { Mark } from "./mark.tsx";
import { useDocumentTitle } from "./use-document-title.ts";

type FrontPageProps = { title: string; description?: ReactNode; children: ReactNode; footer?: ReactNode };

/** One calm column with one thing to do: the frame of the pages outside the shell, and of what stands in for a page inside it. */
export function FrontPage({ title, description, children, footer }: FrontPageProps) {
  useDocumentTitle(title);
  const inside = use(InsideShell);
  const Frame = inside ? "div" : "main";
  return (
    <Frame className="mx-auto flex w-full max-w-md flex-col px-4 py-10 sm:py-20">
      {!inside && (
        <p className="mb-8 flex items-center justify-center gap-2.5 text-lg font-semibold tracking-tight">
          <Mark />
          Switchyard
        </p>
      )}
      <div className="rounded-xl border border-line bg-surface p-6 sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {description && <p className="mt-1.5 text-sm text-muted wrap-anywhere">{description}</p>}
        <div className="mt-6 grid gap-4">{children}</div>
      </div>
      {footer && <p className="mt-6 text-center text-sm text-muted">{footer}</p>}
    </Frame>
  );
}

/** The shell brings its own mark and its own `main`. */
export const InsideShell = createContext(false);
