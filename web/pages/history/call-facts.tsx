import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ToolCall } from "../../../src/history/wire.ts";
import { Duration, Elapsed } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { TraceId } from "../../parts/trace-id.tsx";
import { merge } from "./filters.ts";
import { Who } from "./who.tsx";

/** Who called when, and how long it waited and ran. */
export function CallFacts({ call }: { call: ToolCall }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
      <Fact name="Called by">
        <Who of={call} />
      </Fact>
      <Fact name="Server">{call.serverId}</Fact>
      <Fact name="Arrived">
        <Moment at={call.queuedAt} show="time" />
      </Fact>
      <Fact name="Waited for a slot">
        {call.startedAt || call.completedAt ? <Duration ms={call.queueMs} /> : "still waiting"}
      </Fact>
      <Fact name="Ran for">{describeRunning(call)}</Fact>
      {call.replayOf && (
        <Fact name="Repeats">
          <RecordLink recordId={call.replayOf}>an earlier call</RecordLink>
        </Fact>
      )}
      {call.requestId && (
        <Fact name="Request">
          <code className="text-xs wrap-anywhere">{call.requestId}</code>
        </Fact>
      )}
      {call.traceId && (
        <Fact name="Trace">
          <TraceId id={call.traceId} />
        </Fact>
      )}
    </dl>
  );
}

function describeRunning({ status, startedAt, durationMs }: ToolCall): ReactNode {
  if (status === "running" && startedAt) return <Elapsed since={startedAt} />;
  if (durationMs !== null) return <Duration ms={durationMs} />;
  return "not at all";
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function RecordLink({ recordId, children }: { recordId: string; children: ReactNode }) {
  return (
    <Link
      from="/o/$organizationId/history"
      to="."
      search={(before) => merge(before, { record: recordId })}
      resetScroll={false}
      className="text-accent underline"
    >
      {children}
    </Link>
  );
}
