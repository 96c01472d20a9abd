import type { ReactNode } from "react";

/** A grey place where something will stand. Give it the size of that by its classes. */
export function Skeleton({ className }: { className: string }) {
  return <div className={`rounded-md bg-hover motion-safe:animate-pulse ${className}`} />;
}

/** Around skeletons: says once to assistive technology that something is on its way. */
export function Loading({ children, what = "the page" }: { children: ReactNode; what?: string }) {
  return (
    <div role="status">
      <span className="sr-only">Loading {what}</span>
      <div aria-hidden="true">{children}</div>
    </div>
  );
}
