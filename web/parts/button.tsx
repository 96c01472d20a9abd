import type { ComponentProps } from "react";
import { Spinner } from "./spinner.tsx";

type ButtonProps = ComponentProps<"button"> & { look?: keyof typeof looks; busy?: boolean };

/** A busy button stays focusable and announces itself as unavailable; pressing it does nothing. */
export function Button({
  look = "quiet",
  busy = false,
  type = "button",
  onClick,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${buttonLook(look)} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

/** The classes of a button, for links that look like one. */
export function buttonLook(look: keyof typeof looks): string {
  return `inline-flex min-h-9 items-center justify-center gap-2 rounded-md px-3.5 py-1.5 text-sm font-medium aria-disabled:opacity-70 ${looks[look]}`;
}

const looks = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  quiet: "border border-line bg-surface text-ink hover:bg-hover",
  danger: "border border-line bg-surface text-danger hover:bg-danger-soft",
  bare: "text-muted hover:bg-hover hover:text-ink",
};
