import { useState } from "react";

type LongTextProps = { text: string; shortLength: number; className?: string };

/** A text that is cut until somebody asks for all of it. */
export function LongText({ text, shortLength, className = "" }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= shortLength || isWhole)
    return <span className={`wrap-anywhere whitespace-pre-wrap ${className}`}>{text}</span>;
  return (
    <>
      <span className={`wrap-anywhere whitespace-pre-wrap ${className}`}>{text.slice(0, shortLength)}…</span>{" "}
      <button
        type="button"
        onClick={() => setWhole(true)}
        className="rounded text-xs font-medium text-accent hover:underline"
      >
        Show all {text.length.toLocaleString()} characters
      </button>
    </>
  );
}
