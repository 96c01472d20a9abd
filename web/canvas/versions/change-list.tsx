import { ArrowRight, Minus, Pencil, Plus } from "lucide-react";
import type { Mark } from "../flow/flow-data.ts";
import type { Change } from "./list-changes.ts";

/** What is different, in words with both values. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  const meant = changes.filter(({ isDetail }) => !isDetail);
  if (meant.length === 0) return <p className="text-sm text-muted">Nothing but the places of nodes is different.</p>;
  return (
    <ul className="grid grid-cols-1 divide-y divide-line text-sm">
      {meant.map((change) => (
        <ChangeLine key={change.key} change={change} />
      ))}
    </ul>
  );
}

function ChangeLine({ change: { kind, title, field, before, after } }: { change: Change }) {
  const { Icon, look } = signs[kind];
  return (
    <li className="flex gap-3 py-2 first:pt-0">
      <Icon className={`mt-0.5 size-4 shrink-0 ${look}`} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {title} <span className="text-muted">{inWords({ kind, field, before, after })}</span>
        </p>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1">
          {before !== undefined && <Value text={before} side="before" />}
          {before !== undefined && after !== undefined && (
            <ArrowRight className="size-3.5 shrink-0 text-muted" aria-label="becomes" role="img" />
          )}
          {after !== undefined && <Value text={after} side="after" />}
        </p>
      </div>
    </li>
  );
}

/** A value before or after a change; which of both it is stands beside it or above it. */
export function Value({ text, side }: { text: string; side: "before" | "after" }) {
  const look = side === "before" ? "bg-danger-soft text-danger" : "bg-success-soft text-success";
  return (
    <span className={`line-clamp-4 w-fit min-w-0 rounded-sm px-1 font-mono text-xs wrap-anywhere ${look}`}>
      {text === "" ? "empty" : text}
    </span>
  );
}

function inWords({ kind, field, before, after }: Pick<Change, "kind" | "field" | "before" | "after">): string {
  if (field === "Connection") return kind === "new" ? "connected" : "disconnected";
  if (kind !== "changed") return field.toLowerCase();
  if (before === undefined) return `${field.toLowerCase()} added`;
  return after === undefined ? `${field.toLowerCase()} removed` : `${field.toLowerCase()} changed`;
}

const signs: Record<Mark, { Icon: typeof Plus; look: string }> = {
  new: { Icon: Plus, look: "text-success" },
  changed: { Icon: Pencil, look: "text-warning" },
  gone: { Icon: Minus, look: "text-danger" },
};
