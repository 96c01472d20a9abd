import { Check, Copy } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";
import { controlLook } from "./field.tsx";

/** A text to take along, with a button that copies it. */
export function CopyField({ label, text }: { label: string; text: string }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);

  async function copy() {
    input.current?.select();
    setCopied(await copyText(text));
  }

  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          ref={input}
          id={id}
          readOnly
          value={text}
          onFocus={(event) => event.target.select()}
          className={`${controlLook} font-mono`}
        />
        <Button onClick={copy} className="shrink-0">
          {copied ? <Check className="size-4" aria-hidden="true" /> : <Copy className="size-4" aria-hidden="true" />}
          <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
        </Button>
      </div>
    </div>
  );
}
