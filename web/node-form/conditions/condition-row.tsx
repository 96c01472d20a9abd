import { X } from "lucide-react";
import { useState } from "react";
import { describeOperator, type Operator, type Row } from "../../../src/workflows/conditions/operators.ts";
import { buttonLook } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import type { Expressions } from "../expressions/expressions.ts";
import { isSameJson } from "../field-values.ts";
import { ExpressionControl } from "../fields/expression-control.tsx";
import { FaultLines } from "../fields/fault-lines.tsx";
import { type ControlProps, useForm } from "../form-context.ts";
import { RowResult, useSample } from "./row-result.tsx";
import { arrangeOperators, readRowValue, writeRowValue } from "./row-values.ts";

type ConditionRowProps = {
  row: Row;
  pointer: string;
  /** "row 2", for those who hear the page. */
  name: string;
  onChange: (row: Row) => void;
  onRemove: (() => void) | undefined;
};

/** Field, operator and value, and what they give with the data of the last run. */
export function ConditionRow(props: ConditionRowProps) {
  const preview = useForm().expressions?.preview;
  return preview ? <TriedRow {...props} preview={preview} /> : <RowFields {...props} known={undefined} />;
}

type TriedRowProps = ConditionRowProps & { preview: NonNullable<Expressions["preview"]> };

function TriedRow({ preview, ...props }: TriedRowProps) {
  const sample = useSample(preview, props.row.field, true);
  return (
    <RowFields {...props} known={sample && "value" in sample ? sample.value : undefined}>
      <RowResult preview={preview} row={props.row} sample={sample} />
    </RowFields>
  );
}

type RowFieldsProps = ConditionRowProps & {
  /** What the field is in the last run. */
  known: unknown;
  children?: React.ReactNode;
};

function RowFields({ row, pointer, name, known, onChange, onRemove, children }: RowFieldsProps) {
  const { idPrefix, readOnly, faults } = useForm();
  const id = `${idPrefix}${pointer}`;
  const { wants } = describeOperator(row.operator);
  const faultsOf = (part: string) => faults.filter((fault) => fault.pointer === `${pointer}/${part}`);
  const controlOf = (part: string, label: string): Omit<ControlProps, "value" | "onChange"> => ({
    id: `${id}/${part}`,
    label: `${label} of ${name}`,
    readOnly,
    placeholder: undefined,
    describedBy: faultsOf(part).length > 0 ? `${id}/${part}-fault` : undefined,
    isInvalid: faultsOf(part).length > 0,
    isRequired: true,
  });
  const field = controlOf("field", "Field");
  return (
    <li className="grid min-w-0 gap-1.5" data-pointer={pointer}>
      <div className="flex min-w-0 flex-wrap items-start gap-1.5">
        <div className="min-w-0 flex-[3_1_9rem]">
          <label htmlFor={field.id} className="sr-only">
            {field.label}
          </label>
          <ExpressionControl
            {...field}
            placeholder="$input.total"
            value={row.field}
            onChange={(text) => onChange({ ...row, field: typeof text === "string" ? text : "" })}
            isBare
            hasPreview={false}
          />
        </div>
        <OperatorSelect
          control={controlOf("operator", "Operator")}
          operator={row.operator}
          sample={known}
          onChange={(operator) => onChange(changeOperator(row, operator, known))}
        />
        {wants !== "nothing" && (
          <ValueInput control={controlOf("value", "Value")} row={row} sample={known} onChange={onChange} />
        )}
        {onRemove && !readOnly && (
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={onRemove}
            className={`${buttonLook("bare")} mt-0.5 shrink-0 px-2!`}
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        )}
      </div>
      {(["field", "operator", "value"] as const).map((part) => (
        <FaultLines key={part} id={`${id}/${part}-fault`} label={labels[part]} faults={faultsOf(part)} />
      ))}
      {children}
    </li>
  );
}

const labels = { field: "The field", operator: "The operator", value: "The value" };

/** A value that was typed for another operator is read anew. */
function changeOperator({ value, ...row }: Row, operator: Operator, sample: unknown): Row {
  const read =
    describeOperator(operator).wants === "nothing" ? undefined : readRowValue(writeRowValue(value), operator, sample);
  return { ...row, operator, ...(read === undefined ? {} : { value: read }) };
}

type OperatorSelectProps = {
  control: Omit<ControlProps, "value" | "onChange">;
  operator: Operator;
  sample: unknown;
  onChange: (operator: Operator) => void;
};

function OperatorSelect({ control, operator, sample, onChange }: OperatorSelectProps) {
  const { fitting, others } = arrangeOperators(sample);
  const show = (one: Operator) => (
    <option key={one} value={one}>
      {describeOperator(one).words}
    </option>
  );
  return (
    <select
      id={control.id}
      aria-label={control.label}
      aria-describedby={control.describedBy}
      aria-invalid={control.isInvalid || undefined}
      disabled={control.readOnly}
      value={operator}
      onChange={(event) => onChange(event.target.value as Operator)}
      className={`${controlLook} w-auto! flex-[2_1_8rem]`}
    >
      {others.length === 0 ? fitting.map(show) : <optgroup label="Fit this data">{fitting.map(show)}</optgroup>}
      {others.length > 0 && <optgroup label="Others">{others.map(show)}</optgroup>}
    </select>
  );
}

type ValueInputProps = {
  control: Omit<ControlProps, "value" | "onChange">;
  row: Row;
  sample: unknown;
  onChange: (row: Row) => void;
};

function ValueInput({ control, row, sample, onChange }: ValueInputProps) {
  const [draft, setDraft] = useState("");
  const read = (text: string) => readRowValue(text, row.operator, sample);
  // While "a, " is typed the value is the list of "a" already.
  const text = draft !== "" && isSameJson(read(draft), row.value) ? draft : writeRowValue(row.value);
  const { wants } = describeOperator(row.operator);
  return (
    <div className="min-w-0 flex-[2_1_7rem]">
      <label htmlFor={control.id} className="sr-only">
        {control.label}
      </label>
      <ExpressionControl
        {...control}
        placeholder={placeholders[wants]}
        value={text}
        onChange={(next) => {
          const written = typeof next === "string" ? next : "";
          setDraft(written);
          const { value: _, ...rest } = row;
          const value = read(written);
          onChange(value === undefined ? rest : { ...rest, value });
        }}
        isBare={false}
        hasPreview={false}
      />
    </div>
  );
}

const placeholders: Record<string, string> = {
  number: "100",
  date: "2026-01-31",
  list: "new, paid",
};
