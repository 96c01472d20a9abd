import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Server } from "../../api/servers.ts";
import type { MyOrganization } from "../../session.ts";
import { AddToClient } from "../servers/add-to-client.tsx";
import { type ClientId, clients } from "../servers/client-snippets.ts";
import { Step } from "./step.tsx";

type ConnectStepProps = {
  number: number;
  organization: MyOrganization;
  server: Server | undefined;
  keyText: string | undefined;
  isDone: boolean;
  /** Whether the step before is done. */
  isOpen: boolean;
};

export function ConnectStep({ number, organization, server, keyText, isDone, isOpen }: ConnectStepProps) {
  const [client, setClient] = useState<ClientId>(clients[0].id);
  return (
    <Step number={number} title="Connect a client" isDone={isDone}>
      <p className="text-sm text-muted">
        The server System needs no account, so it works at once.{" "}
        <Link
          to="/o/$organizationId/servers"
          params={{ organizationId: organization.id }}
          className="text-accent underline underline-offset-4"
        >
          All MCP servers
        </Link>{" "}
        connect the same way.
      </p>
      {isOpen && server && (
        <AddToClient
          organization={organization}
          server={server}
          client={client}
          onClient={setClient}
          keyText={keyText}
        />
      )}
    </Step>
  );
}
