import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Schedule, schedulePreviewQuery } from "../../api/triggers.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { isApiProblem } from "../../problem.ts";
import { FireTimes } from "./fire-times.tsx";

const pauseMs = 250;

/** The next five times, as the server counts them, while the schedule is being written. */
export function SchedulePreview({ organizationId, schedule }: { organizationId: string; schedule: Schedule }) {
  const settled = useSettled(schedule);
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

/** The schedule once nobody has changed it for a moment. */
function useSettled({ cron, timeZone }: Schedule): Schedule {
  const [settled, setSettled] = useState({ cron, timeZone });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ cron, timeZone }), pauseMs);
    return () => clearTimeout(timer);
  }, [cron, timeZone]);
  return settled;
}
