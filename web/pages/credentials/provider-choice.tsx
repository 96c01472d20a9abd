import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";

/** Finds a service by typing; the arrows and Enter choose. */
export function ProviderChoice({ onChoose }: { onChoose: (type: CredentialTypeEntry) => void }) {
  const types = useQuery(credentialTypesQuery);
  const [search, setSearch] = useState("");
  const [marked, setMarked] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = findTypes(types.data ?? [], search);
  const current = found[Math.min(marked, found.length - 1)];

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is marked must be seen.
  useEffect(() => {
    void list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);

  function onKeyDown(event: KeyboardEvent) {
    const step = steps[event.key];
    if (event.key === "Enter" && current) onChoose(current);
    else if (step) setMarked((Math.min(marked, found.length - 1) + step + found.length) % Math.max(found.length, 1));
    else return;
    event.preventDefault();
  }

  return (
    <div className="grid gap-3">
      <div className="relative">
        <Search className="pointer-events-none absolute top-3 left-3 size-4 text-muted" aria-hidden="true" />
        <input
          role="combobox"
          aria-label="Service"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={current && `${listId}-${current.type}`}
          aria-autocomplete="list"
          autoComplete="off"
          placeholder="Search a service"
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setMarked(0);
          }}
          onKeyDown={onKeyDown}
          className={`${controlLook} pl-9`}
        />
      </div>
      {types.isError && <ProblemNotice error={types.error} action={<Button onClick={() => void types.refetch()}>Try again</Button>} />}
      {types.isPending && (
        <Loading what="the services">
          <Skeleton className="h-80" />
        </Loading>
      )}
      <div id={listId} ref={list} role="listbox" aria-label="Services" className="max-h-80 overflow-y-auto" tabIndex={-1}>
        {found.map((type, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <div
            key={type.type}
            id={`${listId}-${type.type}`}
            role="option"
            tabIndex={-1}
            aria-selected={type === current}
            onClick={() => onChoose(type)}
            onMouseMove={() => setMarked(index)}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm aria-selected:bg-hover"
          >
            <NodeIcon providerId={type.provider.id} />
            <span className="min-w-0 flex-1 truncate font-medium">{type.provider.title}</span>
            <span className="truncate text-xs text-muted">{type.variants.map(({ title }) => title).join(" or ")}</span>
          </div>
        ))}
      </div>
      <p role="status" className={found.length === 0 && types.isSuccess ? "text-sm text-muted" : "sr-only"}>
        {found.length === 0 && types.isSuccess
          ? "No service has this name. The HTTP service reaches any other one with a key or a login."
          : `${found.length} services`}
      </p>
    </div>
  );
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

function findTypes(types: CredentialTypeEntry[], search: string): CredentialTypeEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ type, title, provider }: CredentialTypeEntry) => `${provider.title} ${title} ${type}`.toLowerCase();
  return types
    .filter((type) => words.every((word) => textOf(type).includes(word)))
    .sort((one, other) => one.provider.title.localeCompare(other.provider.title));
}
