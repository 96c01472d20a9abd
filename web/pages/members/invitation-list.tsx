import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Invitation } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { invitationsQuery } from "../../queries.ts";
import { type MyOrganization, roleNames } from "../../session.ts";

export function InvitationList({ organization }: { organization: MyOrganization }) {
  const query = invitationsQuery(organization.id);
  const invitations = useSuspenseQuery(query).data;
  const queryClient = useQueryClient();
  const [withdrawing, setWithdrawing] = useState<Invitation>();
  if (invitations.length === 0) return null;

  return (
    <Card title="Open invitations" description="Not accepted yet.">
      <ul className="-mb-3 divide-y divide-line">
        {invitations.map((invitation) => (
          <li key={invitation.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
            <div className="min-w-0 flex-1 basis-40">
              <p className="font-medium wrap-anywhere">{invitation.email}</p>
              <p className="text-sm text-muted">
                Open until <Moment at={invitation.expiresAt} />
              </p>
            </div>
            <Badge>{roleNames[invitation.role]}</Badge>
            <Button
              look="danger"
              aria-label={`Withdraw the invitation of ${invitation.email}`}
              onClick={() => setWithdrawing(invitation)}
            >
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
      {withdrawing && (
        <ConfirmDialog
          title="Withdraw this invitation?"
          description={`The link sent to ${withdrawing.email} stops working.`}
          confirm="Withdraw"
          act={() =>
            api.withdrawInvitation(organization.id, withdrawing.id).then(() => queryClient.invalidateQueries(query))
          }
          onClose={() => setWithdrawing(undefined)}
        />
      )}
    </Card>
  );
}
