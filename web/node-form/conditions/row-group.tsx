import { Plus, X } from "lucide-react";
import type { Group, Match, Row } from "../../../src/workflows/conditions/operators.ts";
import { Button, buttonLook } from "../../parts/button.tsx";
import { OneOf } from "../../parts/one-of.tsx";
import { useRowFocus } from "../fields/use-row-focus.ts";
import { useForm } from "../form-context.ts";
import { ConditionRow } from "./condition-row.tsx";

const matches: Record<Match, string> = { all: "all", any: "any" };

export const emptyRow: Row = { field: "", operator: "is" };

type RowGroupProps = {
  group: Group;
  pointer: string;
  /** "row", or "row of group 1": what its rows are called. */
  rowName: string;
  onChange: (group: Group) => void;
  /** Given for a group inside of another. */
  onRemove?: () => void;
  children?: React.ReactNode;
  /** Beside the button that adds a row. */
  actions?: React.ReactNode;
};

/** Rows that are joined in one way. */
export function RowGroup({ group, pointer, rowName, onChange, onRemove, children, actions }: RowGroupProps) {
  const { idPrefix, readOnly } = useForm();
  const { focusLater } = useRowFocus();
  const { match, rows } = group;
  const id = `${idPrefix}${pointer}`;
  const canRemove = onRemove !== undefined || rows.length > 1 || children !== undefined;
  return (
    <div className={`grid min-w-0 gap-3 rounded-lg border border-line p-3 ${onRemove ? "bg-page" : ""}`}>
      <div className="flex items-center gap-2 text-xs text-muted">
        <OneOf
          label={`How many of each ${rowName} have to be true`}
          value={match}
          options={matches}
          onChange={(next) => onChange({ ...group, match: next })}
          disabled={readOnly}
          isSmall
        />
        <span className="flex-1">of these are true</span>
        {onRemove && !readOnly && (
          <button
            type="button"
            aria-label={`Remove ${rowName.replace("row of ", "")}`}
            onClick={onRemove}
            className={`${buttonLook("bare")} shrink-0 px-2!`}
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        )}
      </div>
      {rows.length > 0 && (
        <ul className="grid min-w-0 gap-3">
          {rows.map((row, index) => (
            <ConditionRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
              key={index}
              row={row}
              pointer={`${pointer}/rows/${index}`}
              name={`${rowName} ${index + 1}`}
              onChange={(next) => onChange({ ...group, rows: rows.with(index, next) })}
              onRemove={
                canRemove
                  ? () => {
                      onChange({ ...group, rows: rows.toSpliced(index, 1) });
                      focusLater(`${id}-add`);
                    }
                  : undefined
              }
            />
          ))}
        </ul>
      )}
      {children}
      {!readOnly && (
        <div className="flex flex-wrap gap-1">
          <Button
            id={`${id}-add`}
            look="bare"
            className="px-2!"
            onClick={() => {
              onChange({ ...group, rows: [...rows, emptyRow] });
              focusLater(`${id}/rows/${rows.length}/field`);
            }}
          >
            <Plus className="size-4" aria-hidden="true" />
            Add a row
          </Button>
          {actions}
        </div>
      )}
    </div>
  );
}
