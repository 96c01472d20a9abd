import type { BarsProps } from "./bars.ts";
import { formatCount } from "./format.ts";
import { describeBucket } from "./time-words.ts";

/** The numbers of a chart, where there are any. */
export function BarsTable<Key extends string>({ label, layers, bars, bucketMinutes }: BarsProps<Key>) {
  const filled = bars.filter(({ counts }) => layers.some(({ key }) => counts[key] > 0)).reverse();
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-muted hover:text-ink">Show as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section aria-label={`${label} as a table`} tabIndex={0} className="mt-2 max-h-80 overflow-auto">
        <table className="w-full text-left">
          <caption className="sr-only">{label} over time, newest first; only times with any</caption>
          <thead>
            <tr className="border-b border-line text-muted">
              <th scope="col" className="py-1.5 pr-4 font-medium">
                Time
              </th>
              {layers.map(({ key, word }) => (
                <th key={key} scope="col" className="px-2 py-1.5 text-right font-medium first-letter:uppercase">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.map(({ at, counts }) => (
              <tr key={at} className="border-b border-line last:border-0">
                <th scope="row" className="py-1.5 pr-4 font-normal whitespace-nowrap">
                  {describeBucket(at, bucketMinutes)}
                </th>
                {layers.map(({ key }) => (
                  <td key={key} className="px-2 py-1.5 text-right tabular-nums">
                    {formatCount(counts[key])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
