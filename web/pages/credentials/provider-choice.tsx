import { useQuery } from "@tanstack/react-query";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";

/** Finds a service by typing; the arrows and Enter choose. */
export function ProviderChoice({ onChoose }: { onChoose: (type: CredentialTypeEntry) => void }) {
  const types = useQuery(credentialTypesQuery);
  if (types.isError)
    return (
      <ProblemNotice error={types.error} action={<Button onClick={() => void types.refetch()}>Try again</Button>} />
    );
  if (types.isPending)
    return (
      <Loading what="the services">
        <Skeleton className="h-80" />
      </Loading>
    );
  return (
    <div className="flex max-h-96 flex-col">
      <PickList
        label="Service"
        placeholder="Search a service"
        find={(text) => [{ entries: findTypes(types.data, text) }]}
        idOf={({ type }) => type}
        onPick={onChoose}
        nothing="No service has this name. The HTTP service reaches any other one with a key or a login."
        show={({ provider, variants }) => (
          <>
            <NodeIcon providerId={provider.id} />
            <span className="shrink-0 font-medium">{provider.title}</span>
            <span className="ml-auto min-w-0 truncate text-xs text-muted">
              {variants.map(({ title }) => title).join(" or ")}
            </span>
          </>
        )}
      />
    </div>
  );
}

function findTypes(types: CredentialTypeEntry[], search: string): CredentialTypeEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ type, title, provider }: CredentialTypeEntry) => `${provider.title} ${title} ${type}`.toLowerCase();
  return types
    .filter((type) => words.every((word) => textOf(type).includes(word)))
    .sort((one, other) => one.provider.title.localeCompare(other.provider.title));
}
