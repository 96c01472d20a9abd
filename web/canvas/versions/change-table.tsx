import { Value } from "./change-list.tsx";
import type { Change } from "./list-changes.ts";
import { type Sides, sideInWords } from "./sides.ts";

type ChangeTableProps = {
  changes: readonly Change[];
  sides: Sides;
  chosenId: string | undefined;
  /** Shows a node on both canvases, where there are any. */
  onChoose: ((nodeId: string) => void) | undefined;
};

export function ChangeTable({ changes, sides: [from, to], chosenId, onChoose }: ChangeTableProps) {
  if (changes.length === 0)
    return <p className="p-4 text-sm text-muted">Only places of nodes or notes, or sizes of notes, are different.</p>;
  return (
    <section
      aria-label="Values that are different"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys.
      tabIndex={0}
      className="min-h-40 flex-1 basis-1/2 overflow-auto bg-surface -outline-offset-2"
    >
      <table className="w-full min-w-140 text-left text-sm">
        <thead className="sticky top-0 bg-surface text-xs text-muted">
          <tr>
            {["Node", "Field", sideInWords(from), sideInWords(to)].map((name) => (
              <th key={name} scope="col" className="border-b border-line px-4 py-2 font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {changes.map(({ key, nodeId, title, field, before, after }) => (
            <tr key={key} className={`align-top ${nodeId === chosenId ? "bg-accent-soft" : ""}`}>
              <th scope="row" className="px-4 py-2 font-normal wrap-anywhere">
                {onChoose ? (
                  <button
                    type="button"
                    aria-pressed={nodeId === chosenId}
                    onClick={() => onChoose(nodeId)}
                    className="text-left underline-offset-4 hover:underline"
                  >
                    {title}
                  </button>
                ) : (
                  title
                )}
              </th>
              <td className="px-4 py-2 text-muted">{field}</td>
              <td className="px-4 py-2">
                <Side text={before} side="before" />
              </td>
              <td className="px-4 py-2">
                <Side text={after} side="after" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Side({ text, side }: { text: string | undefined; side: "before" | "after" }) {
  if (text === undefined) return <span className="text-xs text-muted">not there</span>;
  return <Value text={text} side={side} />;
}
