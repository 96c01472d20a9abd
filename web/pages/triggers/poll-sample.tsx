import { useMutation } from "@tanstack/react-query";
import type { PollSampleRequest, PollSamples } from "../../../src/triggers/wire.ts";
import { readSamples } from "../../api/triggers.ts";
import { isSchema } from "../../node-form/field-shape.ts";
import { isSameJson } from "../../node-form/field-values.ts";
import { faultsBelow } from "../../node-form/panel/faults-below.ts";
import { Button } from "../../parts/button.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { type FieldFault, isApiProblem } from "../../problem.ts";

/** What a poll would find now. What was found for other fields than those that stand there counts no longer. */
export function useSample(organizationId: string, request: PollSampleRequest | undefined) {
  const mutation = useMutation({ mutationFn: (wanted: PollSampleRequest) => readSamples(organizationId, wanted) });
  const isFresh = request !== undefined && isSameJson(mutation.variables, request);
  const faults = isFresh && isApiProblem(mutation.error) ? faultsBelow(mutation.error.errors, "/parameters") : noFaults;
  return {
    ask: () => request && mutation.mutate(request),
    /** What is wrong with the parameters, which is shown at their fields. */
    faults,
    shown: isFresh && faults.length === 0 ? mutation : undefined,
  };
}

const noFaults: FieldFault[] = [];

type Sample = ReturnType<typeof useSample>;

/** A button, and below it what it found. */
export function PollSample({ sample: { ask, shown } }: { sample: Sample }) {
  return (
    <section aria-label="Sample" aria-live="polite" className="grid min-w-0 gap-3 rounded-lg bg-page px-3.5 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-48 text-sm text-muted">
          What its runs would get, from what is there now. Nothing starts.
        </p>
        <Button busy={shown?.isPending ?? false} onClick={ask}>
          See a sample
        </Button>
      </div>
      {shown && <Outcome shown={shown} />}
    </section>
  );
}

type OutcomeProps = { shown: { isPending: boolean; error: unknown; data: PollSamples | undefined } };

/** Each item as `$trigger` of its run has it. */
export function Outcome({ shown }: OutcomeProps) {
  if (shown.isPending)
    return (
      <Loading what="the sample">
        <Skeleton className="h-24" />
      </Loading>
    );
  if (shown.error) return <ProblemNotice error={shown.error} />;
  if (!shown.data) return null;
  const { items, truncated } = shown.data;
  if (items.length === 0 && !truncated)
    return <Notice kind="hint">There is nothing there yet. Once something comes, it starts a run.</Notice>;
  return (
    <>
      {truncated && <p className="text-xs text-muted">Shown in part: the runs get all of it.</p>}
      <ol className="grid min-w-0 gap-2">
        {items.map(({ id, payload }, index) => (
          <li key={id} className="min-w-0">
            <details open={index === 0} className="min-w-0 rounded-lg border border-line bg-surface">
              <summary className="cursor-pointer rounded-lg px-3 py-2 text-sm font-medium wrap-anywhere hover:bg-hover">
                {nameOf(payload) ?? id}
              </summary>
              <div className="grid min-w-0 gap-1.5 px-3 pt-1 pb-3">
                <code className="font-mono text-xs text-muted">$trigger.payload</code>
                <DataViewer label={`item ${index + 1}`} value={payload} root="$trigger.payload" />
              </div>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

const names = ["title", "subject", "name", "summary", "key"];

/** What people would call it. */
function nameOf(payload: unknown): string | undefined {
  const found = isSchema(payload)
    ? names.map((name) => payload[name]).find((text) => typeof text === "string" && text !== "")
    : undefined;
  return typeof found === "string" ? found : undefined;
}
