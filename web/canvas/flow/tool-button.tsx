import type { ComponentProps } from "react";

/** A small button of a bar; its label is also its tooltip. */
export function ToolButton({ label, className = "", children, ...rest }: ComponentProps<"button"> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex min-h-8 items-center gap-1.5 rounded-md px-2 text-xs whitespace-nowrap text-muted hover:bg-hover hover:text-ink aria-disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:text-accent ${className}`}
    >
      {children}
    </button>
  );
}
