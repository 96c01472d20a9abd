import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialQuery, credentialsQuery, credentialUsesQuery } from "../../api/credentials.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { type MyOrganization, managesMembers, useOrganization } from "../../session.ts";
import { describeConnectProblem, tellConnectNews } from "./connect-news.ts";
import { DefaultCard } from "./default-card.tsx";
import { DeleteCard } from "./delete-card.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { ManagedCredential } from "./managed-credential.tsx";
import { UsesCard } from "./uses-card.tsx";

/** One credential: its health, its fields, where it is used. */
export function CredentialPage({ credentialId }: { credentialId: string }) {
  const organization = useOrganization();
  const credentials = useQuery(credentialsQuery(organization.id));
  const types = useQuery(credentialTypesQuery);
  const failed = [credentials, types].find(({ isLoadingError }) => isLoadingError);
  const credential = credentials.data?.find(({ id }) => id === credentialId);
  const back = <BackLink organizationId={organization.id} />;

  if (failed)
    return (
      <Page title="Credential" action={back}>
        <ProblemNotice error={failed.error} action={<Button onClick={() => void failed.refetch()}>Try again</Button>} />
      </Page>
    );
  if (!credentials.data || !types.data)
    return (
      <Page title="Credential" action={back}>
        <Loading what="the credential">
          <Skeleton className="h-60" />
        </Loading>
      </Page>
    );
  if (!credential)
    return (
      <Page title="Credential" action={back}>
        <Card
          title="There is no such credential"
          description="It was deleted, or it belongs to another organization."
        />
      </Page>
    );
  const type = types.data.find((entry) => entry.type === credential.type);
  return (
    <Page title={credential.name} description={type?.title ?? credential.type} action={back}>
      <ConnectOutcome credential={credential} title={type?.provider.title ?? credential.type} />
      <Details organization={organization} credential={credential} type={type} />
    </Page>
  );
}

type DetailsProps = {
  organization: MyOrganization;
  credential: CredentialSummary;
  type: CredentialTypeEntry | undefined;
};

function Details({ organization, credential, type }: DetailsProps) {
  const manages = managesMembers(organization.role);
  const managed = useQuery({ ...credentialQuery(organization.id, credential.id), enabled: manages });
  const uses = useQuery(credentialUsesQuery(organization.id, credential.id));
  // All at once, so that nothing moves away under the pointer.
  if (uses.isPending || (manages && managed.isPending))
    return (
      <Loading what="the credential">
        <Skeleton className="h-60" />
      </Loading>
    );
  return (
    <>
      {manages && type ? (
        <ManagedCredential organizationId={organization.id} credentialId={credential.id} type={type} />
      ) : (
        <Card
          title="Health"
          action={<HealthBadge health={credential.health} />}
          description="Owners and admins test and change it."
        />
      )}
      <Card>
        <CopyField label="Reference" text={credential.reference} />
        <p className="mt-1.5 text-xs text-muted">What tools and workflows name it by. It holds no secret.</p>
      </Card>
      <UsesCard organizationId={organization.id} credentialId={credential.id} />
      <DefaultCard organization={organization} credential={credential} title={type?.title ?? credential.type} />
      {manages && <DeleteCard organization={organization} credential={credential} />}
    </>
  );
}

function BackLink({ organizationId }: { organizationId: string }) {
  return (
    <Link
      to="/o/$organizationId/credentials"
      params={{ organizationId }}
      className="inline-flex min-h-9 items-center gap-2 text-sm text-muted hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden="true" />
      All credentials
    </Link>
  );
}

/** Where the browser comes back to from the provider: says how it went, also to the tab that waits. */
function ConnectOutcome({ credential, title }: { credential: CredentialSummary; title: string }) {
  const { connected, error: problem } = useSearch({ from: "/signed-in/o/$organizationId/credentials" });
  const hasEnded = connected !== undefined || problem !== undefined;
  useEffect(() => {
    if (hasEnded) tellConnectNews({ credentialId: credential.id, problem });
  }, [hasEnded, credential.id, problem]);

  if (problem) return <Notice kind="problem">{describeConnectProblem(problem, title)}</Notice>;
  if (connected === undefined || credential.health === "needs_reconnect") return null;
  return <Notice kind="success">{title} is connected. If you came from another tab, you can close this one.</Notice>;
}
