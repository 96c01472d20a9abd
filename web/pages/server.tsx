import { Link, useParams } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/card.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../parts/skeleton.tsx";
import { useOrganization } from "../session.ts";
import { useOrganizationServers } from "./servers/organization-servers.ts";
import { ServerDetails } from "./servers/server-details.tsx";

export function ServerPage() {
  const organization = useOrganization();
  const { serverId } = useParams({ from: "/signed-in/o/$organizationId/servers/$serverId" });
  const { servers, error, retry } = useOrganizationServers(organization.id);
  const server = servers?.find(({ id }) => id === serverId);

  if (server) return <ServerDetails organization={organization} server={server} />;
  if (error)
    return (
      <Page title="MCP server">
        <ProblemNotice error={error} action={<Button onClick={() => void retry()}>Try again</Button>} />
      </Page>
    );
  if (!servers)
    return (
      <Page title="MCP server">
        <Loading what="the server">
          <div className="grid gap-6">
            <Skeleton className="h-72" />
            <Skeleton className="h-48" />
          </div>
        </Loading>
      </Page>
    );
  return (
    <Page title="There is no such server">
      <Card title="The address names a server that does not exist here.">
        <Link
          to="/o/$organizationId/servers"
          params={{ organizationId: organization.id }}
          className="text-accent underline underline-offset-4"
        >
          See all MCP servers
        </Link>
      </Card>
    </Page>
  );
}
