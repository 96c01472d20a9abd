import type { Run } from "../../../src/runs/wire.ts";
import { isOver } from "../../api/runs.ts";
import type { NodeKind } from "../../catalog.ts";
import { Duration, formatDuration, useNow } from "../../parts/duration.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { Status, statusLooks } from "../../parts/status.tsx";
import { progressInWords } from "../words.ts";
import { layOutTimeline, type TimelineBar } from "./lay-out-timeline.ts";

type TimelineProps = {
  run: Run;
  kinds: Map<string, NodeKind>;
  titleOf: (nodeId: string) => string;
  selectedId: string | undefined;
  onSelect: (id: string) => void;
};

const tickMs = 500;

/** One line per node: when it began, how long it took, and a bar of that. */
export function Timeline({ run, kinds, titleOf, selectedId, onSelect }: TimelineProps) {
  const nowMs = useNow(isOver(run) ? 1_000_000 : tickMs);
  const { totalMs, queuedMs, bars } = layOutTimeline(run, nowMs);
  return (
    <div className="@container overflow-hidden rounded-xl border border-line bg-surface">
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">The nodes in the order in which they began</caption>
        <thead className="border-b border-line text-left text-xs text-muted">
          <tr>
            <th scope="col" className="px-4 py-2.5 font-medium @md:w-44 @3xl:w-56">
              Node
            </th>
            <th scope="col" className="w-12 px-2 py-2.5 font-medium @3xl:w-32">
              <span className="sr-only @3xl:not-sr-only">Status</span>
            </th>
            <th scope="col" className="w-20 px-2 py-2.5 text-right font-medium @max-md:hidden">
              Start
            </th>
            <th scope="col" className="w-20 px-2 py-2.5 text-right font-medium @max-md:pr-4">
              Took
            </th>
            <th scope="col" className="hidden py-2.5 pr-4 pl-2 font-medium @md:table-cell">
              <span className="flex justify-between">
                <span>0</span>
                <span>{formatDuration(totalMs)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          <tr>
            <th scope="row" className="px-4 py-2 text-left font-normal text-muted">
              Waiting for a slot
            </th>
            <td />
            <td className="px-2 py-2 text-right text-muted tabular-nums @max-md:hidden">0 ms</td>
            <td className="px-2 py-2 text-right text-muted @max-md:pr-4">
              <Duration ms={queuedMs} />
            </td>
            <td className="hidden py-2 pr-4 pl-2 @md:table-cell">
              <Track totalMs={totalMs} startMs={0} lengthMs={queuedMs} waitedMs={queuedMs} look="bg-field" />
            </td>
          </tr>
          {bars.map((bar) => (
            <BarRow
              key={bar.node.id}
              bar={bar}
              totalMs={totalMs}
              title={titleOf(bar.node.id)}
              kind={kinds.get(bar.node.nodeId)}
              isSelected={bar.node.id === selectedId}
              onSelect={() => onSelect(bar.node.id)}
            />
          ))}
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Start counts from the moment the run was accepted. Light parts of a bar are waiting: for a slot, a pause or
        another attempt.
      </p>
    </div>
  );
}

type BarRowProps = {
  bar: TimelineBar;
  totalMs: number;
  title: string;
  kind: NodeKind | undefined;
  isSelected: boolean;
  onSelect: () => void;
};

function BarRow({ bar, totalMs, title, kind, isSelected, onSelect }: BarRowProps) {
  const { node, startMs, lengthMs, waitedMs, isReused } = bar;
  return (
    <tr className={`relative ${isSelected ? "bg-accent-soft" : "hover:bg-hover"}`}>
      <th scope="row" className="px-4 py-2 text-left font-medium">
        <span className="flex min-w-0 items-center gap-2">
          <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-4" />
          <button
            type="button"
            aria-pressed={isSelected}
            onClick={onSelect}
            title={title}
            className="min-w-0 truncate text-left after:absolute after:inset-0"
          >
            {title}
          </button>
        </span>
        <Remarks bar={bar} />
      </th>
      <td className="px-2 py-2">
        <span className="@3xl:hidden">
          <Status status={node.status} compact />
        </span>
        <span className="hidden @3xl:inline">
          <Status status={node.status} />
        </span>
      </td>
      <td className="px-2 py-2 text-right text-muted @max-md:hidden">
        {startMs !== null && !isReused && <Duration ms={startMs} />}
      </td>
      <td className="px-2 py-2 text-right text-muted @max-md:pr-4">
        {startMs !== null && <Duration ms={isReused ? (node.durationMs ?? 0) : lengthMs} />}
      </td>
      <td className="hidden py-2 pr-4 pl-2 @md:table-cell">
        {startMs !== null && !isReused && (
          <Track
            totalMs={totalMs}
            startMs={startMs}
            lengthMs={lengthMs}
            waitedMs={waitedMs}
            look={barLooks[node.status]}
          />
        )}
      </td>
    </tr>
  );
}

function Remarks({ bar: { node, waitedMs, isReused } }: { bar: TimelineBar }) {
  const remarks = [
    isReused && "done by the earlier run",
    progressInWords(node),
    node.attempts > 1 && `${node.attempts} attempts`,
    waitedMs > 0 && `${formatDuration(waitedMs)} waiting`,
  ].filter(Boolean);
  return (
    <span className="block pl-6 text-xs font-normal text-muted">
      {/* Where the status beside it is only a sign; who listens hears it there. */}
      {node.status !== "succeeded" && (
        <span aria-hidden="true" className="@3xl:hidden">
          {statusLooks[node.status].word}
          {remarks.length > 0 && ", "}
        </span>
      )}
      {remarks.join(", ")}
    </span>
  );
}

type TrackProps = { totalMs: number; startMs: number; lengthMs: number; waitedMs: number; look: string };

function Track({ totalMs, startMs, lengthMs, waitedMs, look }: TrackProps) {
  const percent = (ms: number) => `${(100 * ms) / totalMs}%`;
  return (
    <div aria-hidden="true" className="relative h-3.5">
      <div
        className={`absolute inset-y-0 min-w-0.5 overflow-hidden rounded-sm ${look} ${waitedMs > 0 ? "opacity-40" : ""}`}
        style={{ left: percent(startMs), width: percent(lengthMs) }}
      />
      {waitedMs > 0 && lengthMs > waitedMs && (
        <div
          className={`absolute inset-y-0 min-w-0.5 rounded-sm ${look}`}
          style={{ left: percent(startMs), width: percent(lengthMs - waitedMs) }}
        />
      )}
    </div>
  );
}

const barLooks = {
  pending: "bg-field",
  running: "bg-accent",
  retrying: "bg-warning",
  succeeded: "bg-success",
  failed: "bg-danger",
  skipped: "bg-field",
  cancelled: "bg-field",
} satisfies Record<Run["nodes"][number]["status"], string>;
