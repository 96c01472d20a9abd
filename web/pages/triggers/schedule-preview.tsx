import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Schedule, schedulePreviewQuery } from "../../api/triggers.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { isApiProblem } from "../../problem.ts";
import { FireTimes } from "./fire-times.tsx";

/** The next five times, as the server counts them, while the schedule is being written. */
export function SchedulePreview({ organizationId, schedule }: { organizationId: string; schedule: Schedule }) {
  const { cron, timeZone } = schedule;
  const settled = useSettled(useMemo(() => ({ cron, timeZone }), [cron, timeZone]));
  const preview = useQuery({ ...schedulePreviewQuery(organizationId, settled), retry: false });
  return (
    <section aria-label="Next five times" aria-live="polite" className="grid gap-2 rounded-lg bg-page px-3.5 py-3">
      <p className="text-xs font-medium text-muted">Next five times</p>
      {preview.isError ? (
        <p className="text-sm text-danger">
          {isApiProblem(preview.error) ? preview.error.message : "They cannot be told now."}
        </p>
      ) : (
        <div className="min-h-28">
          {preview.data ? (
            <FireTimes times={preview.data} timeZone={settled.timeZone} />
          ) : (
            <Skeleton className="h-28 max-w-64" />
          )}
        </div>
      )}
    </section>
  );
}
