import { useEffect, useState } from "react";

/** A length of time, short; to the millisecond in the tooltip. */
export function Duration({ ms }: { ms: number }) {
  return (
    <span title={`${ms.toLocaleString()} ms`} className="whitespace-nowrap tabular-nums">
      {formatDuration(ms)}
    </span>
  );
}

/** How long something that is not over has taken by now. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1_000);
  // The clocks of browser and server may differ a little.
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatDuration(Math.max(0, now - Date.parse(since)), "whole seconds")}
    </span>
  );
}

export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Such as `532 ms`, `1.2 s`, `2 min 5 s` or `3 h 12 min`. */
export function formatDuration(ms: number, precision: "exact" | "whole seconds" = "exact"): string {
  if (precision === "whole seconds" && ms < minuteMs) return `${Math.floor(ms / secondMs)} s`;
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 10 * secondMs) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`;
  if (ms < hourMs) return inTwo(ms, [minuteMs, "min"], [secondMs, "s"]);
  if (ms < dayMs) return inTwo(ms, [hourMs, "h"], [minuteMs, "min"]);
  return inTwo(ms, [dayMs, "d"], [hourMs, "h"]);
}

type Unit = [ms: number, name: string];

function inTwo(ms: number, [bigMs, big]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((ms % bigMs) / smallMs);
  return `${Math.floor(ms / bigMs)} ${big}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}
