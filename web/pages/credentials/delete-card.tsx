import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { type CredentialUses, credentialsKey, credentialUsesQuery, deleteCredential } from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { MyOrganization } from "../../session.ts";

type DeleteCardProps = { organization: MyOrganization; credential: CredentialSummary };

export function DeleteCard({ organization, credential }: DeleteCardProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Card
        title="Delete"
        description="Its secrets are removed here. To end the access at the service too, revoke it there."
        action={
          <Button look="danger" onClick={() => setAsking(true)}>
            Delete this credential
          </Button>
        }
      />
      {asking && <DeleteDialog organization={organization} credential={credential} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Deletes against a warning only what the warning named: when a use has come in between, the server refuses. */
function DeleteDialog({ organization, credential, onClose }: DeleteCardProps & { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate({ from: "/o/$organizationId/credentials" });
  const { data: uses } = useQuery(credentialUsesQuery(organization.id, credential.id));
  const isForced = uses !== undefined && uses.workflows.length + uses.webhooks.length > 0;

  async function act() {
    await deleteCredential(organization.id, credential.id, isForced);
    await navigate({ search: {} });
    void queryClient.invalidateQueries({ queryKey: credentialsKey(organization.id) });
  }

  return (
    <ConfirmDialog
      title={`Delete ${credential.name}?`}
      description={describeLoss(uses)}
      confirm={isForced ? "Delete it anyway" : "Delete"}
      act={act}
      onClose={onClose}
    />
  );
}

function describeLoss(uses: CredentialUses | undefined): string {
  if (!uses) return "Looking where it is used…";
  const names = [...uses.workflows, ...uses.triggers].map(({ name }) => name);
  const left = uses.webhooks.map(
    ({ providerTitle, place, triggerName }) => `${providerTitle} (${place ?? triggerName})`,
  );
  const stay =
    left.length > 0
      ? `Webhooks that were set up with it stay at ${left.join(", ")}: only you can remove them there then.`
      : "";
  if (names.length > 0) return `It is in use. These stop working: ${names.join(", ")}. ${stay}`.trim();
  if (stay) return stay;
  if (uses.defaults.length > 0)
    return "It is a default: calls that rely on it stop working. It cannot be brought back.";
  return "No workflow uses it. It cannot be brought back.";
}
