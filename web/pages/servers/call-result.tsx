import { Link } from "@tanstack/react-router";
import type { ToolCall } from "../../../src/history/wire.ts";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Duration } from "../../parts/duration.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

/** How a call that was made here ended. */
export function CallResult({ organizationId, record }: { organizationId: string; record: ToolCall }) {
  const { status, durationMs, queueMs, error, outputs } = record;
  return (
    <section aria-label="Result" className="grid grid-cols-1 gap-3 border-t border-line pt-4">
      <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <Status status={status} />
        {durationMs !== null && (
          <span>
            took <Duration ms={durationMs} />
          </span>
        )}
        {queueMs >= 1 && (
          <span>
            waited <Duration ms={queueMs} />
          </span>
        )}
        <Link
          to="/o/$organizationId/history"
          params={{ organizationId }}
          search={{ tab: "tools", record: record.id }}
          className="text-accent underline underline-offset-4"
        >
          See the record
        </Link>
      </p>
      {error && <Notice kind="problem">{error.message}</Notice>}
      {!error && <DataViewer value={outputs} label="the result" />}
    </section>
  );
}
