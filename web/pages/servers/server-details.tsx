import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { Server } from "../../api/servers.ts";
import { buttonLook } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Page } from "../../parts/page.tsx";
import type { MyOrganization } from "../../session.ts";
import { AccountState } from "./account-state.tsx";
import { AddToClient } from "./add-to-client.tsx";
import { type ClientId, clients } from "./client-snippets.ts";
import { LastCall } from "./last-call.tsx";
import { ServerIcon } from "./server-icon.tsx";
import { ToolList } from "./tool-list.tsx";
import { type ConnectedTypes, type TypeAccounts, useConnectedTypes, works } from "./use-connected-types.ts";

export function ServerDetails({ organization, server }: { organization: MyOrganization; server: Server }) {
  const { client } = useSearch({ from: "/signed-in/o/$organizationId/servers/$serverId" });
  const navigate = useNavigate({ from: "/o/$organizationId/servers/$serverId" });
  const setClient = (chosen: ClientId) =>
    void navigate({ search: (before) => ({ ...before, client: chosen }), replace: true, resetScroll: false });

  return (
    <Page
      title={server.title}
      description={server.description}
      action={<AllServers organizationId={organization.id} />}
    >
      <ServerFacts organization={organization} server={server} />
      <Card title="Add to a client" description={describeSignIn(server)}>
        <div className="grid grid-cols-1 gap-5">
          <CopyField label="Address" text={server.url} />
          <AddToClient
            organization={organization}
            server={server}
            client={clients.find(({ id }) => id === client)?.id ?? clients[0].id}
            onClient={setClient}
          />
        </div>
      </Card>
      <Card
        title={server.toolCount === 1 ? "One tool" : `${server.toolCount} tools`}
        action={<LastCall organization={organization} server={server} />}
      >
        <ToolList organization={organization} server={server} />
      </Card>
    </Page>
  );
}

function describeSignIn({ usesOAuthOnly }: Server): string {
  return usesOAuthOnly
    ? "It acts for a person, so clients sign in with OAuth. It takes no API key."
    : "With an API key the client acts for the organization; with OAuth it acts for you.";
}

function ServerFacts({ organization, server }: { organization: MyOrganization; server: Server }) {
  const connected = useConnectedTypes(organization.id);
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <span className="grid size-10 place-items-center rounded-lg border border-line bg-surface">
        <ServerIcon serverId={server.id} />
      </span>
      <AccountState server={server} connected={connected} />
      <AccountRemedy organization={organization} server={server} connected={connected} />
    </div>
  );
}

type AccountRemedyProps = { organization: MyOrganization; server: Server; connected: ConnectedTypes };

/** What is left to do until a call that names no account finds one that works. */
function AccountRemedy({ organization: { id: organizationId, role }, server, connected }: AccountRemedyProps) {
  const [type] = server.credentialTypes;
  if (!connected || type === undefined || role === "viewer") return null;
  const remedy = findRemedy(connected.get(type), type);
  return (
    remedy && (
      <Link
        to="/o/$organizationId/credentials"
        params={{ organizationId }}
        search={remedy.search}
        className={buttonLook("quiet")}
      >
        {remedy.words}
      </Link>
    )
  );
}

function findRemedy({ accounts, usual }: TypeAccounts = { accounts: [], usual: undefined }, type: string) {
  if (usual) return works(usual) ? null : { words: "Mend it", search: { credential: usual.id } };
  const [first, ...others] = accounts;
  if (!first) return { words: "Connect an account", search: { create: type } };
  return { words: "Choose a default account", search: others.length === 0 ? { credential: first.id } : {} };
}

function AllServers({ organizationId }: { organizationId: string }) {
  return (
    <Link to="/o/$organizationId/servers" params={{ organizationId }} className={`${buttonLook("bare")} -mr-3.5`}>
      <ChevronLeft className="size-4" aria-hidden="true" />
      All servers
    </Link>
  );
}
