import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { Button } from "../../parts/button.tsx";
import { copyText } from "../../parts/copy-text.ts";

/** Copies what tools and workflows name a credential by. */
export function CopyReference({ credential }: { credential: CredentialSummary }) {
  const [copied, setCopied] = useState(false);
  const text = useRef<HTMLSpanElement>(null);

  async function copy() {
    if (text.current) getSelection()?.selectAllChildren(text.current);
    setCopied(await copyText(credential.reference));
  }

  return (
    <Button
      look="bare"
      title={credential.reference}
      aria-label={`Copy the reference of ${credential.name}`}
      onClick={copy}
    >
      {copied ? <Check className="size-4" aria-hidden="true" /> : <Copy className="size-4" aria-hidden="true" />}
      <span aria-live="polite">{copied ? "Copied" : "Reference"}</span>
      <span ref={text} className="sr-only select-all" aria-hidden="true">
        {credential.reference}
      </span>
    </Button>
  );
}
