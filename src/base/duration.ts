const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `setTimeout` fires at once for anything longer. */
const longestMs = 2 ** 31 - 1;

/** Milliseconds of `250ms`, `90s`, `5m`, `1h` or `2d`; undefined for any other text and for more than a timer can hold. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(0|[1-9]\d*)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const durationMs = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  return durationMs <= longestMs ? durationMs : undefined;
};
