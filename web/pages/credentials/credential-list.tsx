import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button, buttonLook } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { type MyOrganization, managesMembers } from "../../session.ts";
import { CopyReference } from "./copy-reference.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { NoCredentials } from "./no-credentials.tsx";
import { TestOutcome } from "./test-outcome.tsx";
import { useTestCredential } from "./use-test-credential.ts";

export function CredentialList({ organization }: { organization: MyOrganization }) {
  const credentials = useQuery(credentialsQuery(organization.id));
  const types = useQuery(credentialTypesQuery);
  const defaults = useQuery(defaultCredentialsQuery(organization.id)).data ?? [];
  const { search = "" } = useSearch({ from: "/signed-in/o/$organizationId/credentials" });
  const failed = [credentials, types].find(({ isLoadingError }) => isLoadingError);

  if (failed)
    return (
      <ProblemNotice error={failed.error} action={<Button onClick={() => void failed.refetch()}>Try again</Button>} />
    );
  if (!credentials.data || !types.data) return <ListSkeleton />;
  if (credentials.data.length === 0) return <NoCredentials manages={managesMembers(organization.role)} />;
  const typeOf = new Map(types.data.map((type) => [type.type, type]));
  const found = findCredentials(credentials.data, typeOf, search);
  return (
    <>
      <SearchField search={search} />
      {found.length === 0 && <p className="text-sm text-muted">No credential matches "{search}".</p>}
      {found.length > 0 && (
        <ul aria-label="Credentials" className="divide-y divide-line rounded-xl border border-line bg-surface">
          {found.map((credential) => (
            <CredentialRow
              key={credential.id}
              organization={organization}
              credential={credential}
              type={typeOf.get(credential.type)}
              isDefault={defaults.some(
                ({ credentialId, apiKeyId }) => credentialId === credential.id && apiKeyId === null,
              )}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function SearchField({ search }: { search: string }) {
  const navigate = useNavigate({ from: "/o/$organizationId/credentials" });
  return (
    <div className="relative max-w-md">
      <Search className="pointer-events-none absolute top-3 left-3 size-4 text-muted" aria-hidden="true" />
      <input
        type="search"
        aria-label="Search credentials"
        placeholder="Search by name or service"
        value={search}
        onChange={(event) => {
          const text = event.target.value;
          void navigate({
            search: ({ search: _, ...rest }) => (text ? { ...rest, search: text } : rest),
            replace: true,
          });
        }}
        className={`${controlLook} pl-9`}
      />
    </div>
  );
}

type CredentialRowProps = {
  organization: MyOrganization;
  credential: CredentialSummary;
  type: CredentialTypeEntry | undefined;
  isDefault: boolean;
};

function CredentialRow({ organization, credential, type, isDefault }: CredentialRowProps) {
  const test = useTestCredential(organization.id, credential.id);
  const manages = managesMembers(organization.role);
  const canTest = manages && type?.canBeTested && credential.health !== "needs_reconnect";
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4 sm:px-6">
      <NodeIcon providerId={type?.provider.id ?? null} className="size-7" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/o/$organizationId/credentials"
            params={{ organizationId: organization.id }}
            search={{ credential: credential.id }}
            className="font-medium wrap-anywhere hover:underline"
          >
            {credential.name}
          </Link>
          {isDefault && <Badge>Default</Badge>}
        </p>
        <p className="text-sm text-muted">{type?.title ?? credential.type}</p>
      </div>
      <div className="flex sm:w-32">
        <HealthBadge health={credential.health} />
      </div>
      <div className="grid grid-cols-[auto_minmax(0,5.5rem)] items-center gap-2 sm:grid-cols-[auto_5.5rem]">
        <CopyReference credential={credential} />
        {canTest && (
          <Button busy={test.isPending} aria-label={`Test ${credential.name}`} onClick={() => test.mutate()}>
            Test
          </Button>
        )}
        {manages && credential.health === "needs_reconnect" && (
          <Link
            to="/o/$organizationId/credentials"
            params={{ organizationId: organization.id }}
            search={{ credential: credential.id }}
            aria-label={`Connect ${credential.name}`}
            className={buttonLook("quiet")}
          >
            Connect
          </Link>
        )}
      </div>
      {(test.data || test.isError) && (
        <div className="basis-full">
          <TestOutcome test={test} />
        </div>
      )}
    </li>
  );
}

function ListSkeleton() {
  return (
    <Loading what="credentials">
      <div className="grid gap-3">
        <Skeleton className="h-10 max-w-md" />
        <Skeleton className="h-18" />
        <Skeleton className="h-18" />
        <Skeleton className="h-18" />
      </div>
    </Loading>
  );
}

function findCredentials(
  credentials: CredentialSummary[],
  typeOf: Map<string, CredentialTypeEntry>,
  search: string,
): CredentialSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return credentials.filter(({ name, type, reference }) => {
    const text = `${name} ${typeOf.get(type)?.title} ${type} ${reference}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
