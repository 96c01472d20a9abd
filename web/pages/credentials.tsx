import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { managesMembers, useOrganization } from "../session.ts";
import { CredentialDialog } from "./credentials/credential-dialog.tsx";
import { CredentialList } from "./credentials/credential-list.tsx";
import { CredentialPage } from "./credentials/credential-page.tsx";

export function CredentialsPage() {
  const organization = useOrganization();
  const { credential, create } = useSearch({ from: "/signed-in/o/$organizationId/credentials" });
  const navigate = useNavigate({ from: "/o/$organizationId/credentials" });
  if (credential) return <CredentialPage key={credential} credentialId={credential} />;

  return (
    <Page
      title="Credentials"
      description={`Accounts of ${organization.name} with other services, used by reference.`}
      action={
        managesMembers(organization.role) && (
          <Button look="primary" onClick={() => void navigate({ search: (search) => ({ ...search, create: "any" }) })}>
            <Plus className="size-4" aria-hidden="true" />
            New credential
          </Button>
        )
      }
    >
      <CredentialList organization={organization} />
      <CredentialDialog
        organizationId={organization.id}
        type={create === "any" ? undefined : create}
        open={create !== undefined}
        onOpenChange={() => void navigate({ search: ({ create: _, ...search }) => search })}
        onCreated={({ id }) => void navigate({ search: { credential: id } })}
      />
    </Page>
  );
}
