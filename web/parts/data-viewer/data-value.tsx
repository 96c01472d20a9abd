import { isNested, kindOf, writeCompact } from "./describe-data.ts";
import { LongText } from "./long-text.tsx";

/** A value in one place of a table or tree: texts as they are, nested data in short. */
export function DataValue({ value, quoted = false }: { value: unknown; quoted?: boolean }) {
  if (typeof value === "string") return <TextValue text={value} quoted={quoted} />;
  if (value === undefined) return <span className="sr-only">absent</span>;
  if (!isNested(value)) return <span className={value === null ? "text-muted" : "text-accent"}>{String(value)}</span>;
  return (
    <span className="block min-w-40 text-muted">
      <span className="mr-1.5 text-xs">{kindOf(value)}</span>
      <span className="font-mono text-xs wrap-anywhere">{writeCompact(value, 100)}</span>
    </span>
  );
}

function TextValue({ text, quoted }: { text: string; quoted: boolean }) {
  if (quoted) return <LongText text={`"${text}"`} shortLength={300} className="text-success" />;
  return text === "" ? (
    <span className="text-xs text-muted">empty</span>
  ) : (
    <LongText text={text} shortLength={150} className={text.length > 30 ? "block min-w-56" : "whitespace-nowrap!"} />
  );
}
