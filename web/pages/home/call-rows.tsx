import { Link } from "@tanstack/react-router";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import { Duration } from "../../parts/duration.tsx";
import { Status } from "../../parts/status.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";

export function CallRows({ organizationId, calls }: { organizationId: string; calls: ToolCallEntry[] }) {
  return (
    <ul className="-my-1 divide-y divide-line" aria-label="Calls">
      {calls.map((call) => (
        <li key={call.id}>
          <Link
            to="/o/$organizationId/history"
            params={{ organizationId }}
            search={{ tab: "tools", record: call.id }}
            className="-mx-2 flex items-center gap-3 rounded-md px-2 py-2 hover:bg-hover"
          >
            <Status status={call.status} compact />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-mono text-sm">{call.tool}</span>
              <span className="block truncate text-xs text-muted">
                {call.apiKeyName ?? call.oauthClientName ?? call.userName ?? ""}
              </span>
            </span>
            <span className="grid justify-items-end text-xs text-muted">
              <TimeAgo at={call.queuedAt} />
              {call.durationMs !== null && <Duration ms={call.durationMs} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
