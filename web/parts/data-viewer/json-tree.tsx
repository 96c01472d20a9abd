import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { DataValue } from "./data-value.tsx";
import { isNested, kindOf, writeCompact } from "./describe-data.ts";
import { PickButton } from "./pick-button.tsx";
import { stepInto } from "./reference-path.ts";
import { useShowMore } from "./show-more.tsx";

type JsonTreeProps = { value: unknown; label: string; path: string; isEach?: boolean };

/** A tree whose branches are only made when they are opened; the first two levels are open from the start. */
export function JsonTree({ value, label, path, isEach = false }: JsonTreeProps) {
  return (
    <div className="p-2.5 font-mono text-xs leading-6">
      {isNested(value) ? (
        <Branches value={value} label={label} path={path} depth={0} isEach={isEach} />
      ) : (
        <DataValue value={value} quoted />
      )}
    </div>
  );
}

type BranchesProps = {
  value: Record<string, unknown> | unknown[];
  path: string;
  depth: number;
  label?: string;
  isEach?: boolean;
};

function Branches({ value, path, depth, label, isEach = false }: BranchesProps) {
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const more = useShowMore(entries.length, depth === 0 ? 100 : 30);
  if (entries.length === 0) return <span className="text-muted">{Array.isArray(value) ? "[]" : "{}"}</span>;
  return (
    <ul aria-label={label} className={depth > 0 ? "ml-1.5 border-l border-line pl-3" : ""}>
      {entries.slice(0, more.shown).map(([key, entry]) => (
        <Branch
          key={key}
          name={key}
          value={entry}
          path={isEach ? path : stepInto(path, key)}
          depth={depth}
          isOpen={depth < 1 && entries.length <= 5}
        />
      ))}
      {more.button && <li>{more.button}</li>}
    </ul>
  );
}

type BranchProps = { name: string | number; value: unknown; path: string; depth: number; isOpen: boolean };

function Branch({ name, value, path, depth, isOpen: isOpenAtFirst }: BranchProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const title = (
    <PickButton path={path} className="font-medium">
      {name}
    </PickButton>
  );
  if (!isNested(value)) {
    return (
      <li className="pl-6">
        {title}
        <span className="text-muted">: </span>
        <DataValue value={value} quoted />
      </li>
    );
  }
  return (
    <li>
      <div className="flex min-w-0 items-center gap-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Close" : "Open"} ${name}`}
          onClick={() => setOpen(!isOpen)}
          className="inline-flex size-5 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
        >
          <ChevronRight className={`size-3.5 ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
        </button>
        {title}
        <span className="ml-1 min-w-0 truncate text-muted">{isOpen ? kindOf(value) : writeCompact(value, 80)}</span>
      </div>
      {isOpen && <Branches value={value} path={path} depth={depth + 1} />}
    </li>
  );
}
