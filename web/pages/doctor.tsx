import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/card.tsx";
import { CopyField } from "../parts/copy-field.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { ServerSelect } from "../parts/server-select.tsx";
import { commandLineQuery, serverAddressesQuery } from "../queries.ts";
import { useOrganization } from "../session.ts";
import { DoctorReport } from "./doctor/doctor-report.tsx";

export function DoctorPage() {
  const servers = useSuspenseQuery(serverAddressesQuery).data;
  const commandLine = useSuspenseQuery(commandLineQuery).data;
  const { server: wanted } = useSearch({ from: "/signed-in/o/$organizationId/doctor" });
  const [serverId, setServerId] = useState(servers.find(({ id }) => id === wanted)?.id ?? servers[0]?.id ?? "");
  const url = servers.find(({ id }) => id === serverId)?.url ?? "";
  const organization = useOrganization();
  // Viewers may let a client only read what the server about the account tells.
  const mayApprove = organization.role !== "viewer" || serverId === "platform";
  const examine = useMutation({
    mutationFn: () => api.examine({ url, ...(mayApprove && { organizationId: organization.id }) }),
  });

  function choose(id: string) {
    setServerId(id);
    examine.reset();
  }

  return (
    <Page
      title="Connection doctor"
      description="Goes the way of an application that connects, hop by hop over the public addresses, and says where it stops and why."
    >
      <Card title="Check a server">
        <div className="grid gap-4">
          <ServerSelect servers={servers} value={serverId} onChange={choose} />
          <p className="font-mono text-sm text-muted wrap-anywhere">{url}</p>
          {mayApprove && (
            <p className="text-sm text-muted">
              The check approves a connection to {organization.name} in your name, lists the tools with it and ends it.
            </p>
          )}
          <Button
            look="primary"
            className="justify-self-start"
            busy={examine.isPending}
            onClick={() => examine.mutate()}
          >
            Check
          </Button>
          {examine.isError && <ProblemNotice error={examine.error} />}
        </div>
      </Card>
      {examine.isSuccess && <DoctorReport report={examine.data} />}
      <Card
        title="Check from another computer"
        description="This page checks from the server itself. Where your application runs, the network may look different."
      >
        <CopyField label="Command" text={`${commandLine} doctor --url ${url}`} />
      </Card>
    </Page>
  );
}
