import { type KeyboardEvent, useState } from "react";
import type { Bar, BarsProps, Layer } from "./bars.ts";
import { BarsTable } from "./bars-table.tsx";
import { formatCount, roundUp } from "./format.ts";
import { barsBetweenTicks, describeBucket, formatTick } from "./time-words.ts";

/** Counts over time, stacked by how things went. The arrows walk from bar to bar; the same is there as a table. */
export function StackedBars<Key extends string>({ label, layers, bars, bucketMinutes }: BarsProps<Key>) {
  const [marked, setMarked] = useState<number>();
  const top = roundUp(Math.max(...bars.map((bar) => totalOf(bar, layers))));
  const current = marked === undefined ? undefined : bars[marked];
  const last = bars.length - 1;

  function onKeyDown(event: KeyboardEvent) {
    const from = marked ?? last;
    const next = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setMarked(Math.max(0, Math.min(last, next)));
  }

  return (
    <figure className="grid gap-3">
      <Legend layers={layers} bars={bars} />
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div
          aria-hidden="true"
          className="flex h-40 flex-col justify-between text-right text-xs text-muted tabular-nums"
        >
          <span className="-translate-y-1/2">{formatCount(top)}</span>
          <span>{formatCount(top / 2)}</span>
          <span className="translate-y-1/2">0</span>
        </div>
        <div
          role="slider"
          tabIndex={0}
          aria-label={`${label} over time`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={marked ?? last}
          aria-valuetext={describeBar(bars[marked ?? last], layers, bucketMinutes)}
          onKeyDown={onKeyDown}
          onFocus={() => setMarked(marked ?? last)}
          onBlur={() => setMarked(undefined)}
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            setMarked(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * bars.length))));
          }}
          onPointerLeave={() => setMarked(undefined)}
          className="relative h-40 rounded-sm"
        >
          <Bars layers={layers} bars={bars} top={top} marked={marked} />
          {current && (
            <Tip
              bar={current}
              layers={layers}
              bucketMinutes={bucketMinutes}
              share={((marked ?? 0) + 0.5) / bars.length}
            />
          )}
        </div>
        <span />
        <Ticks bars={bars} bucketMinutes={bucketMinutes} />
      </div>
      <BarsTable label={label} layers={layers} bars={bars} bucketMinutes={bucketMinutes} />
    </figure>
  );
}

type DrawnProps<Key extends string> = {
  layers: Layer<Key>[];
  bars: Bar<Key>[];
  top: number;
  marked: number | undefined;
};

const height = 160;
/** Seen even beside thousands of others. */
const leastHeight = 2;

function Bars<Key extends string>({ layers, bars, top, marked }: DrawnProps<Key>) {
  return (
    <svg
      viewBox={`0 0 ${bars.length} ${height}`}
      preserveAspectRatio="none"
      className="size-full overflow-visible"
      aria-hidden="true"
    >
      {[0, 0.5, 1].map((part) => (
        <line
          key={part}
          x1="0"
          x2={bars.length}
          y1={part * height}
          y2={part * height}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {bars.map((bar, index) => (
        <g key={bar.at}>
          {index === marked && <rect x={index} y={0} width={1} height={height} className="fill-hover" />}
          {stack(bar, layers, top).map(({ key, fill, y, size }) => (
            <rect key={key} x={index + 0.12} y={y} width={0.76} height={size} className={fill} />
          ))}
        </g>
      ))}
    </svg>
  );
}

function stack<Key extends string>(bar: Bar<Key>, layers: Layer<Key>[], top: number) {
  let y = height;
  return layers.flatMap(({ key, fill }) => {
    const count = bar.counts[key];
    if (count === 0) return [];
    const size = Math.max((count / top) * height, leastHeight);
    y -= size;
    return [{ key, fill, y, size }];
  });
}

function Legend<Key extends string>({ layers, bars }: Pick<BarsProps<Key>, "layers" | "bars">) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {layers.map(({ key, word, dot }) => (
        <li key={key} className="flex items-center gap-2">
          <span className={`size-2.5 rounded-sm ${dot}`} aria-hidden="true" />
          <span className="tabular-nums">
            {formatCount(bars.reduce((sum, { counts }) => sum + counts[key], 0))}{" "}
            <span className="text-muted">{word}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

type TipProps<Key extends string> = Pick<BarsProps<Key>, "layers" | "bucketMinutes"> & { bar: Bar<Key>; share: number };

function Tip<Key extends string>({ bar, layers, bucketMinutes, share }: TipProps<Key>) {
  return (
    <div
      aria-hidden="true"
      className={`pointer-events-none absolute bottom-full z-10 mb-1 rounded-md border border-line bg-raised px-3 py-2 text-xs whitespace-nowrap shadow-lg ${share < 0.5 ? "" : "-translate-x-full"}`}
      style={{ left: `${share * 100}%` }}
    >
      <p className="font-medium">{describeBucket(bar.at, bucketMinutes)}</p>
      {layers
        .filter(({ key }) => bar.counts[key] > 0)
        .map(({ key, word, dot }) => (
          <p key={key} className="mt-1 flex items-center gap-2 tabular-nums">
            <span className={`size-2 rounded-sm ${dot}`} />
            {formatCount(bar.counts[key])} {word}
          </p>
        ))}
      {totalOf(bar, layers) === 0 && <p className="mt-1 text-muted">None</p>}
    </div>
  );
}

function Ticks<Key extends string>({ bars, bucketMinutes }: Pick<BarsProps<Key>, "bars" | "bucketMinutes">) {
  const every = barsBetweenTicks(bars.length, bucketMinutes);
  return (
    <div aria-hidden="true" className="relative mt-1 h-5 text-xs text-muted">
      {bars.map(
        ({ at }, index) =>
          index % every === 0 && (
            <span
              key={at}
              className={`absolute whitespace-nowrap ${(index / every) % 2 === 1 ? "max-sm:hidden" : ""}`}
              style={{ left: `${(index / bars.length) * 100}%` }}
            >
              {formatTick(at, bucketMinutes)}
            </span>
          ),
      )}
    </div>
  );
}

const totalOf = <Key extends string>({ counts }: Bar<Key>, layers: Layer<Key>[]): number =>
  layers.reduce((sum, { key }) => sum + counts[key], 0);

function describeBar<Key extends string>(
  bar: Bar<Key> | undefined,
  layers: Layer<Key>[],
  bucketMinutes: number,
): string {
  if (!bar) return "";
  const counts = layers.filter(({ key }) => bar.counts[key] > 0).map(({ key, word }) => `${bar.counts[key]} ${word}`);
  return `${describeBucket(bar.at, bucketMinutes)}: ${counts.join(", ") || "none"}`;
}
