import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { recentCallsQuery } from "../../api/history.ts";
import type { Server } from "../../api/servers.ts";
import { TimeAgo } from "../../parts/time-ago.tsx";
import type { MyOrganization } from "../../session.ts";

/** When anybody last called a tool of the server, with the way to that record. */
export function LastCall({ organization, server }: { organization: MyOrganization; server: Server }) {
  const calls = useQuery(recentCallsQuery(organization.id, { serverId: server.id, limit: 1 })).data;
  const last = calls?.[0];
  if (!calls) return null;
  if (!last) return <p className="text-sm text-muted">Not called yet</p>;
  return (
    <p className="text-sm text-muted">
      <Link
        to="/o/$organizationId/history"
        params={{ organizationId: organization.id }}
        search={{ tab: "tools", server: server.id, record: last.id }}
        className="underline-offset-4 hover:text-accent hover:underline"
      >
        Last called <TimeAgo at={last.queuedAt} />
      </Link>
    </p>
  );
}
