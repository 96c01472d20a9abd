import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";

type Row = { key: string; name: ReactNode; weight: number; cells: string[] };
type RankingCardProps = { title: string; head: string[]; rows: Row[]; nothing: string };

const firstShown = 8;

/** A table, most used first, with a bar that shows how much that is. */
export function RankingCard({ title, head, rows, nothing }: RankingCardProps) {
  const [isWhole, setIsWhole] = useState(false);
  const most = Math.max(...rows.map(({ weight }) => weight), 1);
  const [nameOfFirst, ...others] = head;
  return (
    <Card title={title}>
      {rows.length === 0 && <p className="text-sm text-muted">{nothing}</p>}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section aria-label={`Table of ${title.toLowerCase()}`} tabIndex={0} className="-mx-1 overflow-x-auto px-1">
          <table className="w-full text-left text-sm">
            <caption className="sr-only">{title}, most used first</caption>
            <thead>
              <tr className="border-b border-line text-muted">
                <th scope="col" className="py-2 pr-3 font-medium">
                  {nameOfFirst}
                </th>
                {others.map((word) => (
                  <th key={word} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, isWhole ? undefined : firstShown).map(({ key, name, weight, cells }) => (
                <tr key={key} className="border-b border-line last:border-0">
                  <th scope="row" className="w-full min-w-40 py-2 pr-3 font-medium wrap-anywhere">
                    {name}
                    <span
                      className="mt-1 block h-1 rounded-full bg-accent/45"
                      style={{ width: `${(weight / most) * 100}%` }}
                      aria-hidden="true"
                    />
                  </th>
                  {cells.map((cell, index) => (
                    <td key={others[index]} className="px-3 py-2 text-right whitespace-nowrap tabular-nums">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rows.length > firstShown && (
        <Button look="bare" className="mt-2" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${rows.length}`}
        </Button>
      )}
    </Card>
  );
}
