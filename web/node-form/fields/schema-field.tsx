import { useState } from "react";
import { ConditionField } from "../conditions/condition-field.tsx";
import { describeShape, type FieldShape, fits } from "../field-shape.ts";
import { fromExpression, isReference, toExpression } from "../field-values.ts";
import { type SchemaFieldProps, useForm } from "../form-context.ts";
import { Control } from "./control.tsx";
import { ExpressionControl } from "./expression-control.tsx";
import { FieldFrame } from "./field-frame.tsx";
import { JsonControl } from "./json-control.tsx";
import { type Mode, ModeSwitch } from "./mode-switch.tsx";
import { VariantSelect } from "./variant-select.tsx";

/** One field of whatever schema, with its label, its hint and what the server says about it. */
export function SchemaField(props: SchemaFieldProps) {
  return describeShape(props.schema).kind === "condition" ? <ConditionField {...props} /> : <ValueField {...props} />;
}

function ValueField(props: SchemaFieldProps) {
  const { idPrefix, expressions, readOnly, unreadTexts } = useForm();
  const { label, pointer, value, onChange } = props;
  const { shape, variants } = useVariant(props);
  const id = `${idPrefix}${pointer}`;
  const [chosen, setChosen] = useState<Mode | undefined>(() =>
    unreadTexts.read(id, value) === undefined ? undefined : "json",
  );
  const modes = props.isEntry && groups.has(shape.kind) ? [] : modesOf(shape, expressions !== undefined);
  const mode = modeOf(shape, value, chosen);

  const change = (next: Mode) => {
    setChosen(next);
    unreadTexts.forget(id);
    if (next === "expression") onChange(toExpression(value));
    else if (isReference(value)) onChange(fromExpression(String(value)));
  };

  return (
    <FieldFrame
      {...props}
      isGroup={mode === "fixed" && groups.has(shape.kind)}
      modeSwitch={
        !readOnly && modes.length > 1 && <ModeSwitch label={label} modes={modes} mode={mode} onChange={change} />
      }
      control={(control) => {
        if (mode === "expression") return <ExpressionControl {...control} isBare={shape.kind === "expression"} />;
        if (mode === "json") return <JsonControl {...control} />;
        return (
          <>
            {variants && <VariantSelect id={control.id} label={label} readOnly={readOnly} {...variants} />}
            <Control {...control} shape={shape} pointer={pointer} />
          </>
        );
      }}
    />
  );
}

/** The shape of the field, or that of the alternative which is filled in where there are several. */
function useVariant({ schema, value, onChange }: SchemaFieldProps) {
  const [first, setFirst] = useState(0);
  const shape = describeShape(schema);
  if (shape.kind !== "union") return { shape, variants: undefined };
  const { options } = shape;
  const fitting = value === undefined ? -1 : options.findIndex((option) => fits(option, value));
  const chosen = fitting === -1 ? first : fitting;
  const choose = (index: number) => {
    setFirst(index);
    onChange(undefined);
  };
  return { shape: describeShape(options[chosen] ?? {}), variants: { options, chosen, onChange: choose } };
}

const groups = new Set<FieldShape["kind"]>(["list", "object", "record"]);

function modesOf({ kind }: FieldShape, takesExpressions: boolean): Mode[] {
  if (kind === "text" || kind === "free" || kind === "expression") return [];
  if (kind === "json") return takesExpressions ? ["json", "expression"] : [];
  const written: Mode[] = groups.has(kind) ? ["fixed", "json"] : ["fixed"];
  return takesExpressions ? [...written, "expression"] : written;
}

function modeOf(shape: FieldShape, value: unknown, chosen: Mode | undefined): Mode {
  if (shape.kind === "expression") return "expression";
  if (shape.kind === "text" || shape.kind === "free") return "fixed";
  if (isReference(value)) return "expression";
  if (shape.kind === "json") return chosen ?? "json";
  // What was written where another kind of value belongs is shown as it is.
  if (chosen === undefined && groups.has(shape.kind) && typeof value === "string") return "json";
  return chosen ?? "fixed";
}
