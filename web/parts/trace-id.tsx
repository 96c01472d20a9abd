import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { copyText } from "./copy-text.ts";

/** The id under which logs and a trace viewer know the same thing, on one line and with a button that copies it. */
export function TraceId({ id }: { id: string }) {
  const text = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState<string>();

  async function copy() {
    if (text.current) getSelection()?.selectAllChildren(text.current);
    if (await copyText(id)) setCopied(id);
  }

  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code ref={text} className="truncate text-xs">
        {id}
      </code>
      <button
        type="button"
        aria-label="Copy the trace id"
        onClick={copy}
        className="shrink-0 rounded p-1 text-muted hover:bg-hover"
      >
        {copied === id ? (
          <Check className="size-3.5" aria-hidden="true" />
        ) : (
          <Copy className="size-3.5" aria-hidden="true" />
        )}
      </button>
      <span aria-live="polite" className="sr-only">
        {copied === id ? "Copied" : ""}
      </span>
    </span>
  );
}
