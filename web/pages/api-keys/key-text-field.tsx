import { useEffect, useRef } from "react";
import { CopyField } from "../../parts/copy-field.tsx";

/** The text of a new key. It has the focus and is selected, because what was pressed to get it is gone. */
export function KeyTextField({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={place}>
      <CopyField label="API key" text={text} />
    </div>
  );
}
