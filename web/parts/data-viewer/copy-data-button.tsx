import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "../copy-text.ts";

/** Copies the whole value as JSON, also what is not shown. */
export function CopyDataButton({ value, label }: { value: unknown; label: string }) {
  const [copied, setCopied] = useState<unknown>(nothing);
  const isCopied = copied === value;
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={async () => setCopied((await copyText(JSON.stringify(value, null, 2) ?? "")) ? value : nothing)}
      className="inline-flex min-h-8 items-center gap-1.5 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-ink"
    >
      <Icon className="size-4" aria-hidden="true" />
      <span aria-live="polite">{isCopied ? "Copied" : "Copy JSON"}</span>
      <span className="sr-only"> of {label}</span>
    </button>
  );
}

const nothing = Symbol("nothing was copied");
