import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";

/** Several lines to take along, such as a command or a part of a configuration file. `label` says what they are. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  const block = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<string>();

  async function copy() {
    if (block.current) getSelection()?.selectAllChildren(block.current);
    if (await copyText(text)) setCopied(text);
  }

  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-page">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-xs text-muted">
        <span className="min-w-0 wrap-anywhere">{label}</span>
        <Button look="bare" className="shrink-0" aria-label={`Copy: ${label}`} onClick={copy}>
          {copied === text ? (
            <Check className="size-4" aria-hidden="true" />
          ) : (
            <Copy className="size-4" aria-hidden="true" />
          )}
          <span aria-live="polite">{copied === text ? "Copied" : "Copy"}</span>
        </Button>
      </figcaption>
      <pre
        ref={block}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-96 overflow-y-auto p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </pre>
    </figure>
  );
}
