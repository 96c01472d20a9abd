import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Card } from "../../parts/card.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { ServerSelect } from "../../parts/server-select.tsx";
import { serverAddressesQuery } from "../../queries.ts";
import type { MyOrganization } from "../../session.ts";

/** How an application comes into the list: it needs nothing but the address of a server. */
export function ConnectGuide({ organization }: { organization: MyOrganization }) {
  const servers = useSuspenseQuery(serverAddressesQuery).data;
  const [serverId, setServerId] = useState(servers[0]?.id ?? "");
  const server = servers.find(({ id }) => id === serverId);

  return (
    <Card
      title="Connect an application"
      description="Give it the address of a server. It opens this site in your browser, where you approve what it may do. No key is needed."
    >
      <div className="grid gap-4">
        <ServerSelect servers={servers} value={serverId} onChange={setServerId} />
        {server && (
          <>
            <CopyField label="Address of the server" text={server.url} />
            <CopyField label="Claude Code" text={`claude mcp add --transport http ${server.id} ${server.url}`} />
          </>
        )}
        <p className="text-sm text-muted">
          It does not connect?{" "}
          <Link
            to="/o/$organizationId/doctor"
            params={{ organizationId: organization.id }}
            search={{ server: serverId }}
            className="text-accent underline underline-offset-4"
          >
            Find out where it stops
          </Link>
        </p>
      </div>
    </Card>
  );
}
