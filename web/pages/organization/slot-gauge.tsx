import { useQuery } from "@tanstack/react-query";
import type { SlotUse } from "../../../src/slots/wire.ts";
import { slotsQuery } from "../../api/organization.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { formatDuration } from "./format.ts";

/** How many runs and calls are under way right now, and who waits. */
export function SlotGauge({ organizationId }: { organizationId: string }) {
  const { data: slots, error, refetch } = useQuery(slotsQuery(organizationId));
  return (
    <Card title="Under way right now" description="Every run and every tool call takes a slot while it works.">
      {slots && <Gauge slots={slots} />}
      {!slots && error && (
        <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {!slots && !error && (
        <Loading what="the slots in use">
          <Skeleton className="h-20" />
        </Loading>
      )}
    </Card>
  );
}

function Gauge({ slots: { cap, inUse, waiting, oldestWaitMs, byKind } }: { slots: SlotUse }) {
  const share = cap === 0 ? 1 : Math.min(inUse / cap, 1);
  const isFull = inUse >= cap;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <p>
          <span className="text-3xl font-semibold tabular-nums">{inUse}</span>
          <span className="text-muted"> of {cap} slots in use</span>
        </p>
        {byKind && (
          <p className="text-sm text-muted tabular-nums">
            {byKind.runs} runs, {byKind.calls} calls
          </p>
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: the look of a meter element cannot be set alike in all browsers */}
      <div
        role="meter"
        aria-label="Slots in use"
        aria-valuemin={0}
        aria-valuemax={cap}
        aria-valuenow={Math.min(inUse, cap)}
        aria-valuetext={`${inUse} of ${cap}`}
        className="h-3 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={`h-full rounded-full transition-[width] duration-500 ${isFull ? "bg-warning" : "bg-accent"}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <p className={`text-sm ${waiting > 0 ? "text-warning" : "text-muted"}`}>
        {waiting === 0
          ? "Nobody waits."
          : `${waiting} waiting${oldestWaitMs === null ? "" : `, the first for ${formatDuration(oldestWaitMs)}`}. They start as soon as a slot is free.`}
      </p>
    </div>
  );
}
