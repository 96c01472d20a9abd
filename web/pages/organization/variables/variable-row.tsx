import { Pencil, Trash2 } from "lucide-react";
import type { Variable } from "../../../../src/workflows/variable-wire.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { TimeAgo } from "../../../parts/time-ago.tsx";
import { kindOfValue, kindWords } from "./value-kinds.ts";

type VariableRowProps = {
  variable: Variable;
  /** Undefined for who may only read. */
  onChange: (() => void) | undefined;
  onRemove: (() => void) | undefined;
};

export function VariableRow({ variable, onChange, onRemove }: VariableRowProps) {
  const { name, value, changedByName, changedAt } = variable;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="grid min-w-0 flex-1 basis-56 gap-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-sm font-medium wrap-anywhere">$vars.{name}</code>
          <Badge>{kindWords[kindOfValue(value)]}</Badge>
        </p>
        <p className="line-clamp-3 text-sm wrap-anywhere whitespace-pre-wrap">
          {value === "" ? <span className="text-muted">empty text</span> : String(value)}
        </p>
        <p className="text-xs text-muted">
          {changedByName ?? "The command line"} changed it <TimeAgo at={changedAt} />
        </p>
      </div>
      {onChange && (
        <div className="flex gap-1">
          <Button look="bare" aria-label={`Change ${name}`} onClick={onChange}>
            <Pencil className="size-4" aria-hidden="true" />
            Change
          </Button>
          <Button look="bare" aria-label={`Remove ${name}`} title={`Remove ${name}`} onClick={onRemove}>
            <Trash2 className="size-4 text-danger" aria-hidden="true" />
          </Button>
        </div>
      )}
    </li>
  );
}
