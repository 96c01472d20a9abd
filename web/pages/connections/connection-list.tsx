import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Connection } from "../../../src/oauth/wire.ts";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { api } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { connectionsQuery, serverAddressesQuery } from "../../queries.ts";
import type { MyOrganization } from "../../session.ts";

export function ConnectionList({ organization }: { organization: MyOrganization }) {
  const query = connectionsQuery(organization.id);
  const connections = useSuspenseQuery(query).data;
  const servers = useSuspenseQuery(serverAddressesQuery).data;
  const queryClient = useQueryClient();
  const [ending, setEnding] = useState<Connection>();
  const credentials = useQuery(credentialsQuery(organization.id)).data;
  const accountOf = ({ credentialId }: Connection) =>
    credentialId && credentials && describeAccount(credentials, credentialId);
  const titleOf = ({ serverId }: Connection) => servers.find(({ id }) => id === serverId)?.title ?? serverId;

  async function disconnect({ id }: Connection) {
    try {
      await api.endConnection(organization.id, id);
    } finally {
      await queryClient.invalidateQueries(query);
    }
  }

  if (connections.length === 0)
    return (
      <Card
        title="Nothing is connected yet"
        description="An application appears here as soon as somebody approves it."
      />
    );
  return (
    <Card title="Connections" description="Each may use one server, for the person who approved it.">
      <ul className="-mb-3 divide-y divide-line">
        {connections.map((connection) => (
          <li key={connection.id} className="flex flex-wrap items-start gap-x-4 gap-y-3 py-4">
            <ConnectionFacts
              connection={connection}
              serverTitle={titleOf(connection)}
              account={accountOf(connection)}
            />
            <Button
              look="danger"
              aria-label={`Disconnect ${connection.clientName} from ${titleOf(connection)}`}
              onClick={() => setEnding(connection)}
            >
              Disconnect
            </Button>
          </li>
        ))}
      </ul>
      {ending && (
        <ConfirmDialog
          title={`Disconnect ${ending.clientName}?`}
          description={`It loses its access to ${titleOf(ending)} at once. To come back, it has to ask again.`}
          confirm="Disconnect"
          act={() => disconnect(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Card>
  );
}

const describeAccount = (credentials: CredentialSummary[], credentialId: string): string => {
  const name = credentials.find(({ id }) => id === credentialId)?.name;
  return name === undefined
    ? "The account chosen for it was deleted: connect it again to choose another"
    : `Uses the account ${name}`;
};

type ConnectionFactsProps = { connection: Connection; serverTitle: string; account: string | null | undefined };

function ConnectionFacts({ connection, serverTitle, account }: ConnectionFactsProps) {
  const { clientName, clientHost, scopes, user, createdAt, lastUsedAt, expiresAt } = connection;
  return (
    <div className="grid min-w-0 flex-1 basis-60 gap-1.5">
      <p className="wrap-anywhere">
        <span className="font-medium">{clientName}</span>
        <span className="text-sm text-muted"> · {clientHost ?? "self-registered, name not verified"}</span>
      </p>
      <p className="flex flex-wrap items-center gap-1.5 text-sm">
        {serverTitle}
        {scopes.map((scope) => (
          <Badge key={scope}>{scope}</Badge>
        ))}
      </p>
      {account && <p className="text-sm wrap-anywhere">{account}</p>}
      <p className="text-sm text-muted wrap-anywhere">
        Approved by {user.name} ({user.email}) on <Moment at={createdAt} />, until <Moment at={expiresAt} /> at the
        latest
      </p>
      <p className="text-sm text-muted">
        {lastUsedAt ? (
          <>
            Last used <Moment at={lastUsedAt} />
          </>
        ) : (
          "Not used yet"
        )}
      </p>
    </div>
  );
}
