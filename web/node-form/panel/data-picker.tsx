import { useQuery } from "@tanstack/react-query";
import { type RefObject, useState } from "react";
import type { PreviewScope } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import { nodeKindsQuery } from "../../catalog.ts";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { controlLook } from "../../parts/field.tsx";
import type { InsertTarget } from "../expressions/expressions.ts";
import { findAncestors } from "../expressions/find-ancestors.ts";
import { nodeTitle } from "../node-title.ts";

type DataPickerProps = {
  canvas: Canvas;
  node: CanvasNode;
  scope: PreviewScope | undefined;
  lastField: RefObject<InsertTarget | null>;
};

/** The data of the last run that fields may refer to: pressing a name puts its reference where the caret was, dragging where it is dropped. */
export function DataPicker(props: DataPickerProps) {
  const { lastField } = props;
  const kinds = useQuery(nodeKindsQuery).data;
  const [chosen, setChosen] = useState<string>();
  const [isMissing, setMissing] = useState(false);
  const sources = sourcesOf(props, (id) => nodeTitle(props.canvas, id, kinds));
  const source = sources.find(({ root }) => root === chosen) ?? sources[0];
  return (
    <details className="relative max-h-[45%] min-w-0 shrink-0 overflow-y-auto border-t border-line">
      <summary className="sticky top-0 z-10 cursor-pointer bg-surface px-4 py-2.5 text-sm font-medium outline-offset-[-2px] hover:bg-hover">
        Insert data of the last run
      </summary>
      <div className="grid min-w-0 gap-2 px-4 pb-4">
        {source ? (
          <>
            <p className="text-xs text-muted">
              Put the caret into a field, then press the name of what belongs there, or drag it into the field.
            </p>
            <select
              aria-label="Data of"
              value={source.root}
              onChange={(event) => setChosen(event.target.value)}
              className={controlLook}
            >
              {sources.map(({ root, title }) => (
                <option key={root} value={root}>
                  {title}
                </option>
              ))}
            </select>
            {isMissing && (
              <p role="status" className="text-xs text-warning">
                Put the caret into a field first.
              </p>
            )}
            <DataViewer
              key={source.root}
              value={source.value}
              label={source.title}
              root={source.root}
              onPick={(reference) => {
                setMissing(lastField.current === null);
                lastField.current?.insert(reference);
              }}
            />
          </>
        ) : (
          <p className="text-sm text-muted">
            There is no run with data yet. Run the workflow once, and its data can be chosen here.
          </p>
        )}
      </div>
    </details>
  );
}

type Source = { root: string; title: string; value: unknown };

/** The incoming item first, then the nodes that come before, then what started the run, then variables. */
function sourcesOf({ canvas, node, scope }: DataPickerProps, titleOf: (id: string) => string): Source[] {
  if (!scope) return [];
  const ancestors = findAncestors(canvas.edges, node.id);
  const direct = canvas.edges.find(({ source, target }) => target === node.id && scope.nodes[source]?.length)?.source;
  const incoming = direct === undefined ? undefined : scope.nodes[direct]?.[0];
  const nodes = canvas.nodes.filter(({ id }) => ancestors.has(id) && scope.nodes[id]?.length);
  return [
    ...(incoming ? [{ root: "$input", title: "Incoming item", value: incoming }] : []),
    ...nodes.map(({ id }) => ({
      root: `$nodes.${id}.first`,
      title: `First item of ${titleOf(id)}`,
      value: scope.nodes[id]?.[0],
    })),
    ...(scope.trigger ? [{ root: "$trigger", title: "What started the run", value: scope.trigger }] : []),
    ...(Object.keys(scope.vars).length > 0 ? [{ root: "$vars", title: "Variables", value: scope.vars }] : []),
  ];
}
