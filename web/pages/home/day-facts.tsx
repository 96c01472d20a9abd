import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { usageQuery } from "../../api/organization.ts";
import { useLive } from "../../live.ts";

/** The last 24 hours in four numbers. */
export function DayFacts({ organizationId }: { organizationId: string }) {
  const { data: usage, refetch } = useQuery(usageQuery(organizationId, "1"));
  useOftenEnough(organizationId, () => void refetch());
  const sum = (count: (bucket: NonNullable<typeof usage>["series"][number]) => number) =>
    usage?.series.reduce((total, bucket) => total + count(bucket), 0);
  const facts = [
    { label: "Tool calls", value: usage?.total.calls },
    { label: "Failed or refused", value: sum(({ calls }) => calls.failed + calls.refused) },
    { label: "Runs", value: usage?.total.runs },
    { label: "Failed runs", value: sum(({ runs }) => runs.failed) },
  ];
  return (
    <section aria-label="The last 24 hours">
      <p className="mb-2 text-sm text-muted">The last 24 hours</p>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
        {facts.map(({ label, value }) => (
          <div key={label} className="flex flex-col-reverse bg-surface px-5 py-4">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{value?.toLocaleString() ?? "–"}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const pauseMs = 1_500;

/** Soon after something happened, however much happens. */
function useOftenEnough(organizationId: string, act: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLive(organizationId, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      act();
    }, pauseMs);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
