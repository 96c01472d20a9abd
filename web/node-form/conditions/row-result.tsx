import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { describeOperator, type Row } from "../../../src/workflows/conditions/operators.ts";
import { isKnown } from "../../../src/workflows/conditions/write-expression.ts";
import { useSettled } from "../../parts/use-settled.ts";
import type { Expressions } from "../expressions/expressions.ts";
import { describeRow } from "./row-values.ts";

type Preview = NonNullable<Expressions["preview"]>;

/** What a text of a row is in the last run; undefined where there is no run, or nothing to look at. */
export function useSample(
  preview: Preview,
  text: unknown,
  isBare: boolean,
): { value: unknown } | { fault: string } | undefined {
  const settled = useSettled(text);
  const isAsked = typeof settled === "string" && settled.trim() !== "";
  const { data } = useQuery({ ...preview(settled, isBare), enabled: isAsked, placeholderData: keepPreviousData });
  if (!isAsked || !data || data.runId === null) return undefined;
  return "error" in data.result ? { fault: data.result.error } : { value: data.result.value };
}

type Sample = ReturnType<typeof useSample>;

/** What a row gives with the data of the last run, in words. */
export function RowResult({ preview, row, sample }: { preview: Preview; row: Row; sample: Sample }) {
  const isReference = describeOperator(row.operator).wants !== "nothing" && !isKnown(row.value);
  const value = useSample(preview, isReference && typeof row.value === "string" ? row.value : undefined, false);
  if (!sample || !isComplete(row)) return null;
  if ("fault" in sample) return <Line>{sample.fault.replace(/^value(?= )/, "The field")}</Line>;
  if (isReference && !value) return null;
  return (
    <Answer row={row} known={isReference ? { field: sample.value, value: knownOf(value) } : { field: sample.value }} />
  );
}

const isComplete = ({ operator, value }: Row): boolean =>
  describeOperator(operator).wants === "nothing" || (value !== undefined && value !== "");
const knownOf = (sample: Sample): unknown => (sample && "value" in sample ? sample.value : null);

function Answer({ row, known }: { row: Row; known: { field: unknown; value?: unknown } }) {
  const { sentence, isTrue } = describeRow(row, known);
  const Icon = isTrue ? Check : X;
  return (
    <Line>
      {sentence}{" "}
      <span className={`inline-flex items-center gap-0.5 font-medium ${isTrue ? "text-success" : "text-danger"}`}>
        <Icon className="size-3.5" aria-hidden="true" />
        {String(isTrue)}
      </span>
    </Line>
  );
}

function Line({ children }: { children: React.ReactNode }) {
  return (
    <p role="status" className="min-w-0 border-l-2 border-line pl-2 text-xs text-muted wrap-anywhere">
      {children}
    </p>
  );
}
