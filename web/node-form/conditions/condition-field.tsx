import { Plus } from "lucide-react";
import { useState } from "react";
import { type ConditionRows, operatorNames, type Row } from "../../../src/workflows/conditions/operators.ts";
import { readExpression } from "../../../src/workflows/conditions/read-expression.ts";
import { writeExpression } from "../../../src/workflows/conditions/write-expression.ts";
import { Button } from "../../parts/button.tsx";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { OneOf } from "../../parts/one-of.tsx";
import { isSchema } from "../field-shape.ts";
import { writeText } from "../field-values.ts";
import { ExpressionControl } from "../fields/expression-control.tsx";
import { FieldFrame } from "../fields/field-frame.tsx";
import { useRowFocus } from "../fields/use-row-focus.ts";
import { type SchemaFieldProps, useForm } from "../form-context.ts";
import { emptyRow, RowGroup } from "./row-group.tsx";

/** True or false of an item: rows of field, operator and value, or an expression. Each is written as the other where it can. */
export function ConditionField(props: SchemaFieldProps) {
  const { readOnly } = useForm();
  const { mode, rows, text, unread, isBlocked, change } = useModes(props);
  return (
    <FieldFrame
      {...props}
      schema={mode === "rows" ? { ...props.schema, description: undefined } : props.schema}
      isGroup={mode === "rows"}
      modeSwitch={
        !readOnly && (
          <OneOf
            label={`How ${props.label} is written`}
            value={mode}
            options={modes}
            onChange={change}
            blocked={isBlocked ? reasons : {}}
            isSmall
          />
        )
      }
      control={(control) =>
        mode === "rows" ? (
          <>
            <Rows rows={rows} pointer={props.pointer} onChange={props.onChange} />
            {text !== undefined && <CopyBlock label="The same as an expression" text={text} />}
          </>
        ) : (
          <>
            <ExpressionControl {...control} isBare />
            {unread !== undefined && !readOnly && (
              <p className="text-xs text-muted wrap-anywhere">
                Rows cannot show <code className="font-mono">{unread}</code>
              </p>
            )}
          </>
        )
      }
    />
  );
}

type ConditionMode = "rows" | "expression";

const modes: Record<ConditionMode, string> = { rows: "Rows", expression: "Expression" };

const reasons: Record<ConditionMode, string> = {
  rows: "Rows cannot show this expression.",
  expression: "Finish the rows first. A value that mixes text and references has no expression.",
};

/** In which form the condition is, and its other form where it has one. */
function useModes({ value, onChange }: SchemaFieldProps) {
  const isEmpty = value === undefined || value === "";
  const expression = typeof value === "string" && !isEmpty ? value : undefined;
  const written: ConditionMode = expression === undefined ? "rows" : "expression";
  // What is emptied stays in its form.
  const [chosen, setChosen] = useState(written);
  const mode = isEmpty ? chosen : written;
  const rows = toRows(value);
  const text = typeof value === "object" ? writeExpression(rows) : undefined;
  const read = expression === undefined ? undefined : readExpression(expression);
  const other = read && "rows" in read ? read.rows : text;
  return {
    mode,
    rows,
    text,
    unread: read && "unread" in read ? read.unread : undefined,
    isBlocked: !isEmpty && other === undefined,
    change: (next: ConditionMode) => {
      setChosen(next);
      if (other !== undefined) onChange(other);
    },
  } as const;
}

/** What is no condition yet begins with one empty row. */
function toRows(value: unknown): ConditionRows {
  const given = isSchema(value) ? (value as Partial<ConditionRows>) : {};
  const groups = Array.isArray(given.groups) ? given.groups : [];
  const rows = Array.isArray(given.rows) ? given.rows : [];
  return {
    match: given.match === "any" ? "any" : "all",
    rows: rows.length + groups.length === 0 ? [emptyRow] : rows.map(toRow),
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => ({ ...group, rows: group.rows.map(toRow) })) }),
  };
}

/** A draft may hold anything; an operator that there is not has a fault, and is shown as the first. */
function toRow({ field, operator, ...rest }: Row): Row {
  return { ...rest, field: writeText(field), operator: operatorNames.includes(operator) ? operator : "is" };
}

type RowsProps = { rows: ConditionRows; pointer: string; onChange: (value: unknown) => void };

function Rows({ rows, pointer, onChange }: RowsProps) {
  const { idPrefix } = useForm();
  const { focusLater } = useRowFocus();
  const addId = `${idPrefix}${pointer}/groups`;
  const { groups = [], ...top } = rows;
  const change = (next: ConditionRows["groups"] = []) => {
    const { groups: _, ...rest } = rows;
    onChange(next.length === 0 ? rest : { ...rest, groups: next });
  };
  const other = top.match === "all" ? "any" : "all";
  return (
    <RowGroup
      group={top}
      pointer={pointer}
      rowName="row"
      onChange={(next) => onChange(groups.length === 0 ? next : { ...next, groups })}
      actions={
        <Button
          id={addId}
          look="bare"
          className="px-2!"
          onClick={() => change([...groups, { match: other, rows: [emptyRow] }])}
        >
          <Plus className="size-4" aria-hidden="true" />
          Add a group
        </Button>
      }
    >
      {groups.length > 0
        ? groups.map((group, index) => (
            <RowGroup
              // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
              key={index}
              group={group}
              pointer={`${pointer}/groups/${index}`}
              rowName={`row of group ${index + 1}`}
              onChange={(next) => change(groups.with(index, next))}
              onRemove={() => {
                change(groups.toSpliced(index, 1));
                focusLater(addId);
              }}
            />
          ))
        : undefined}
    </RowGroup>
  );
}
