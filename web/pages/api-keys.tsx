import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { apiKeysQuery } from "../api/api-keys.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { type MyOrganization, managesMembers, useOrganization } from "../session.ts";
import { AskAdmin } from "./api-keys/ask-admin.tsx";
import { CreateKeyDialog } from "./api-keys/create-key-dialog.tsx";
import { KeyList, KeyListSkeleton } from "./api-keys/key-list.tsx";
import { NoKeys } from "./api-keys/no-keys.tsx";

export function ApiKeysPage() {
  const organization = useOrganization();
  if (managesMembers(organization.role)) return <ManagedKeys organization={organization} />;
  return (
    <Page title="API keys" description={pageDescription}>
      <AskAdmin organization={organization} />
    </Page>
  );
}

const pageDescription = "Programs and AI clients use a key to act for the organization, not for a person.";

function ManagedKeys({ organization }: { organization: MyOrganization }) {
  const keys = useQuery(apiKeysQuery(organization.id));
  const { create } = useSearch({ from: "/signed-in/o/$organizationId/api-keys" });
  const navigate = useNavigate({ from: "/o/$organizationId/api-keys" });
  const setCreating = (open: boolean) => void navigate({ search: open ? { create: "key" } : {}, replace: !open });

  return (
    <Page
      title="API keys"
      description={pageDescription}
      action={
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus className="size-4" aria-hidden="true" />
          Create key
        </Button>
      }
    >
      {keys.isError && (
        <ProblemNotice error={keys.error} action={<Button onClick={() => keys.refetch()}>Try again</Button>} />
      )}
      {keys.isPending && <KeyListSkeleton />}
      {keys.data?.length === 0 && <NoKeys organizationId={organization.id} />}
      {keys.data && keys.data.length > 0 && <KeyList organization={organization} keys={keys.data} />}
      {create !== undefined && (
        <CreateKeyDialog organization={organization} wanted={create} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}
