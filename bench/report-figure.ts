type Figure = {
  bench: string;
  figure: string;
  value: number;
  unit: string;
  /** The same measure of something simpler in the same run, to judge the machine by. */
  baseline?: string;
  baselineValue?: number;
  bar?: { atLeast: number } | { atMost: number };
};

/** One JSON line per figure; a missed bar fails the bench. */
export function reportFigure({ bar, ...figure }: Figure): void {
  const { value, baselineValue } = figure;
  const compared =
    baselineValue === undefined ? {} : { baselineValue: round(baselineValue), ratio: round(value / baselineValue) };
  const judged = bar === undefined ? {} : { bar, ok: "atLeast" in bar ? value >= bar.atLeast : value <= bar.atMost };
  if (judged.ok === false) process.exitCode = 1;
  console.log(JSON.stringify({ ...figure, value: round(value), ...compared, ...judged }));
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const round = (value: number) => Number(value.toPrecision(4));
