/** Such as `12 ms`, `1.4 s` or `3 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${Number((durationMs / 1_000).toPrecision(2))} s`;
  if (durationMs < 3_600_000) return `${Math.round(durationMs / 60_000)} min`;
  return `${Number((durationMs / 3_600_000).toPrecision(2))} h`;
}

export const formatCount = (count: number): string => counts.format(count);

/** Never 0 % or 100 % for what is only nearly so. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent < 1) return "< 1 %";
  return percent > 99 && part < whole ? "> 99 %" : `${Math.round(percent)} %`;
}

/** A round number that is not smaller and whose half is whole too, for the axis of a chart. */
export function roundUp(value: number): number {
  if (value <= 10) return Math.max(4, 2 * Math.ceil(value / 2));
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power;
}

const counts = new Intl.NumberFormat();
