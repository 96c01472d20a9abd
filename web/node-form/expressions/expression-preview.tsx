import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ValuePreview } from "../../../src/runs/wire.ts";
import { writeCompact } from "../../parts/data-viewer/describe-data.ts";
import { useSettled } from "../../parts/use-settled.ts";
import { isApiProblem } from "../../problem.ts";
import { useForm } from "../form-context.ts";
import type { Expressions } from "./expressions.ts";

type ExpressionPreviewProps = {
  label: string;
  value: unknown;
  isBare: boolean;
  preview: NonNullable<Expressions["preview"]>;
};

/** What a field becomes with the data of the last run. */
export function ExpressionPreview({ label, value, isBare, preview }: ExpressionPreviewProps) {
  const { expressions } = useForm();
  const { data, error } = useQuery({ ...preview(useSettled(value), isBare), placeholderData: keepPreviousData });
  if (error) return <Line tone="text-muted">{isApiProblem(error) ? error.message : "There is no preview."}</Line>;
  if (!data) return <Line tone="text-muted">Looking at the data of the last run</Line>;
  return <Answer {...data} label={label} describeRun={expressions?.describeRun ?? (() => "Last run")} />;
}

function Answer({
  runId,
  result,
  label,
  describeRun,
}: ValuePreview & { label: string; describeRun: (runId: string) => string }) {
  if ("error" in result) {
    return (
      <Line tone={runId === null ? "text-muted" : "text-danger"}>
        {runId === null && "There is no run with data yet: run the workflow once to see values here. "}
        {result.error.replace(/^value(?= )/, label)}
      </Line>
    );
  }
  // Nothing comes of it, or there is no data yet: a line that says so would help nobody.
  if (result.value === null || result.value === undefined) return null;
  return (
    <Line tone="text-muted">
      {runId === null ? "Without a run" : describeRun(runId)}:{" "}
      <span className="font-mono text-ink">{show(result.value)}</span>
    </Line>
  );
}

function show(value: unknown): string {
  if (value === null) return "nothing";
  if (typeof value !== "string") return writeCompact(value, 300);
  if (value === "") return "an empty text";
  return value.length > 300 ? `${value.slice(0, 300)}…` : value;
}

function Line({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <p
      role="status"
      className={`min-w-0 border-l-2 border-line pl-2 text-xs wrap-anywhere whitespace-pre-wrap ${tone}`}
    >
      {children}
    </p>
  );
}
