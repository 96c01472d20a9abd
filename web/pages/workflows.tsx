import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileUp, LayoutGrid, Plus } from "lucide-react";
import { noteRun, workflowsKey, workflowsQuery } from "../api/workflows.ts";
import { useLive } from "../live.ts";
import { Button, buttonLook } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { useOrganization } from "../session.ts";
import { CreateDialogs } from "./workflows/create-dialogs.tsx";
import { LabelFilters } from "./workflows/label-filters.tsx";
import { NothingFound, NoWorkflows } from "./workflows/no-workflows.tsx";
import { SearchField } from "./workflows/search-field.tsx";
import { WorkflowList, WorkflowListSkeleton } from "./workflows/workflow-list.tsx";

/** `create`: `new` opens the form, `file` the import. */
export function WorkflowsPage() {
  const organization = useOrganization();
  const builds = organization.role !== "viewer";
  const { search = "", folder = "", tag = "", create } = useSearch({ from: "/signed-in/o/$organizationId/workflows" });
  const open = useOpen();
  const list = useInfiniteQuery(workflowsQuery(organization.id, { search, folder, tag }));
  useLiveRuns(organization.id);

  const total = list.data?.pages[0]?.total;
  const workflows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const isNarrowed = search !== "" || folder !== "" || tag !== "";
  const isEmpty = total === 0 && !isNarrowed;

  return (
    <Page
      title="Workflows"
      description="Chains of tools, started by you, a trigger or a call."
      action={builds && <Actions organizationId={organization.id} onCreate={(what) => open({ create: what })} />}
    >
      {!isEmpty && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchField
            label="Search workflows"
            placeholder="Name or description"
            value={search}
            onChange={(text) => open({ search: text })}
          />
          <LabelFilters organizationId={organization.id} folder={folder} tag={tag} onChange={open} />
          <Count total={total} isNarrowed={isNarrowed} />
        </div>
      )}
      {list.isError && !list.data && (
        <ProblemNotice error={list.error} action={<Button onClick={() => void list.refetch()}>Try again</Button>} />
      )}
      {list.isPending && <WorkflowListSkeleton />}
      {total === 0 && isNarrowed && <NothingFound onClear={() => open({ search: "", folder: "", tag: "" })} />}
      {isEmpty && <NoWorkflows organizationId={organization.id} builds={builds} />}
      {workflows.length > 0 && <WorkflowList organization={organization} workflows={workflows} />}
      {list.hasNextPage && (
        <Button
          className="justify-self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {builds && (
        <CreateDialogs organization={organization} create={create} onClose={() => open({ create: undefined })} />
      )}
    </Page>
  );
}

function Actions({ organizationId, onCreate }: { organizationId: string; onCreate: (what: string) => void }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/o/$organizationId/workflows/templates" params={{ organizationId }} className={buttonLook("quiet")}>
        <LayoutGrid className="size-4" aria-hidden="true" />
        Templates
      </Link>
      <Button onClick={() => onCreate("file")}>
        <FileUp className="size-4" aria-hidden="true" />
        Import
      </Button>
      <Button look="primary" onClick={() => onCreate("new")}>
        <Plus className="size-4" aria-hidden="true" />
        New workflow
      </Button>
    </div>
  );
}

function Count({ total, isNarrowed }: { total: number | undefined; isNarrowed: boolean }) {
  const words = total === 1 ? "1 workflow" : `${total} workflows`;
  return (
    <p role="status" className="text-sm text-muted">
      {total === undefined ? "" : isNarrowed ? `${words} found` : words}
    </p>
  );
}

/** Changes what the address says about this page. */
function useOpen() {
  const navigate = useNavigate({ from: "/o/$organizationId/workflows" });
  type Shown = { search?: string; folder?: string; tag?: string; create?: string | undefined };
  return (change: Shown) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value)) as Record<
          string,
          string
        >,
      replace: "search" in change,
    });
}

function useLiveRuns(organizationId: string): void {
  const queryClient = useQueryClient();
  useLive(organizationId, (event) => {
    if (event.kind === "run") noteRun(queryClient, organizationId, event.data);
    if (event.kind === "reload")
      void queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] });
  });
}
