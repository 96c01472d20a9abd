import { useQuery } from "@tanstack/react-query";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { credentialQuery } from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { EditCard } from "./edit-card.tsx";
import { HealthCard } from "./health-card.tsx";

type ManagedCredentialProps = { organizationId: string; credentialId: string; type: CredentialTypeEntry };

/** What only owners and admins see of a credential. */
export function ManagedCredential({ organizationId, credentialId, type }: ManagedCredentialProps) {
  const { data: credential, error, refetch } = useQuery(credentialQuery(organizationId, credentialId));
  const variant = type.variants.find(({ kind }) => kind === credential?.kind);
  if (credential && variant)
    return (
      <>
        <HealthCard organizationId={organizationId} credential={credential} type={type} variant={variant} />
        <EditCard organizationId={organizationId} credential={credential} type={type} variant={variant} />
      </>
    );
  if (error) return <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />;
  return (
    <Loading what="the credential">
      <Skeleton className="h-60" />
    </Loading>
  );
}
