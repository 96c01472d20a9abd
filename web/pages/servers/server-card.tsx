import { Link } from "@tanstack/react-router";
import type { Server, ServerTool } from "../../api/servers.ts";
import { AccountState } from "./account-state.tsx";
import { describeEffects } from "./hints.ts";
import { ServerIcon } from "./server-icon.tsx";
import type { ConnectedTypes } from "./use-connected-types.ts";

type ServerCardProps = {
  organizationId: string;
  server: Server;
  /** The tools that the search found, when it did not find the server itself. */
  matches: ServerTool[];
  connected: ConnectedTypes;
};

export function ServerCard({ organizationId, server, matches, connected }: ServerCardProps) {
  return (
    <li className="relative flex flex-col gap-3 rounded-xl border border-line bg-surface p-5 focus-within:border-accent hover:border-accent">
      <div className="flex items-center gap-3">
        <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-page">
          <ServerIcon serverId={server.id} />
        </span>
        <div className="min-w-0">
          <h2 className="font-semibold">
            {/* The whole card is the link. */}
            <Link
              to="/o/$organizationId/servers/$serverId"
              params={{ organizationId, serverId: server.id }}
              className="outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-accent"
            >
              {server.title}
            </Link>
          </h2>
          <p className="text-xs text-muted">
            {server.toolCount} {server.toolCount === 1 ? "tool" : "tools"} · {describeEffects(server.tools)}
          </p>
        </div>
      </div>
      <p className="line-clamp-2 text-sm text-muted">{server.description}</p>
      {matches.length > 0 && (
        <ul className="grid gap-1 text-sm" aria-label="Found tools">
          {matches.slice(0, 4).map((tool) => (
            <li key={tool.name}>
              <Link
                to="/o/$organizationId/servers/$serverId"
                params={{ organizationId, serverId: server.id }}
                search={{ tool: tool.name }}
                className="relative text-accent underline-offset-4 hover:underline"
              >
                {tool.title}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-auto">
        <AccountState server={server} connected={connected} />
      </div>
    </li>
  );
}
