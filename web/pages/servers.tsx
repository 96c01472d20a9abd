import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { Server } from "../api/servers.ts";
import { Button } from "../parts/button.tsx";
import { controlLook } from "../parts/field.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../parts/skeleton.tsx";
import { useOrganization } from "../session.ts";
import { useOrganizationServers, workflowServerId } from "./servers/organization-servers.ts";
import { searchServers } from "./servers/search-servers.ts";
import { ServerCard } from "./servers/server-card.tsx";
import { useConnectedTypes } from "./servers/use-connected-types.ts";

export function ServersPage() {
  const { id: organizationId } = useOrganization();
  const { servers, error, retry } = useOrganizationServers(organizationId);
  const connected = useConnectedTypes(organizationId);
  const { search = "" } = useSearch({ from: "/signed-in/o/$organizationId/servers" });
  const found = servers && searchServers(servers, search);

  return (
    <Page title="MCP servers" description={servers ? `${countServers(servers)} ${pageDescription}` : pageDescription}>
      <SearchField search={search} />
      {error && <ProblemNotice error={error} action={<Button onClick={() => void retry()}>Try again</Button>} />}
      {!found && !error && <CardsSkeleton />}
      {found && (
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {found.map(({ server, tools, byTool }) => (
            <ServerCard
              key={server.id}
              organizationId={organizationId}
              server={server}
              matches={byTool ? tools : []}
              connected={connected}
            />
          ))}
        </ul>
      )}
      {found?.length === 0 && (
        <p role="status" className="text-muted wrap-anywhere">
          No server and no tool has “{search}” in its name or description.
        </p>
      )}
    </Page>
  );
}

const pageDescription = "Add one to your AI client, or try a tool right here.";

/** Those of the catalogue, which are the same for everybody, and apart from them what the organization offers for itself. */
function countServers(servers: Server[]): string {
  const catalogue = servers.filter(({ id }) => id !== workflowServerId);
  const toolCount = catalogue.reduce((sum, server) => sum + server.toolCount, 0);
  const own = servers.find(({ id }) => id === workflowServerId)?.toolCount ?? 0;
  const beside = { 0: "", 1: ", and 1 workflow as a tool" }[own] ?? `, and ${own} workflows as tools`;
  return `${catalogue.length} servers with ${toolCount} tools${beside}.`;
}

function SearchField({ search }: { search: string }) {
  const navigate = useNavigate({ from: "/o/$organizationId/servers" });
  return (
    <label className="relative block max-w-md">
      <span className="sr-only">Search servers and tools</span>
      <Search
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
      <input
        type="search"
        placeholder="Search servers and tools"
        className={`${controlLook} pl-9`}
        value={search}
        onChange={(event) =>
          void navigate({ search: event.target.value ? { search: event.target.value } : {}, replace: true })
        }
      />
    </label>
  );
}

function CardsSkeleton() {
  return (
    <Loading what="the servers">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {Array.from({ length: 9 }, (_, index) => index).map((index) => (
          <Skeleton key={index} className="h-40" />
        ))}
      </div>
    </Loading>
  );
}
