import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Trigger } from "../../src/triggers/wire.ts";
import { triggerQuery, triggersQuery } from "../api/triggers.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { useOrganization } from "../session.ts";
import { EditTriggerDialog } from "./triggers/edit-trigger-dialog.tsx";
import { readKind } from "./triggers/kinds.ts";
import { LeftWebhooks } from "./triggers/left-webhooks.tsx";
import { NewTriggerDialog } from "./triggers/new-trigger-dialog.tsx";
import { NoTriggers } from "./triggers/no-triggers.tsx";
import { pauseBetweenReads } from "./triggers/pauses.ts";
import { TriggerList, TriggerListSkeleton } from "./triggers/trigger-list.tsx";
import { useLiveTriggers } from "./triggers/use-live-triggers.ts";
import { WorkflowFilter } from "./triggers/workflow-filter.tsx";

const from = "/signed-in/o/$organizationId/triggers";

/** In its address, `create` is the kind of the new one and `trigger` the one that is being changed. */
export function TriggersPage() {
  const organization = useOrganization();
  const builds = organization.role !== "viewer";
  const { workflow: workflowId } = useSearch({ from });
  const open = useOpen();
  const [notRemoved, setNotRemoved] = useState<string>();
  const list = useInfiniteQuery({
    ...triggersQuery(organization.id, workflowId),
    refetchInterval: ({ state }) => pauseBetweenReads(state.data?.pages.flatMap(({ data }) => data) ?? []),
  });
  useLiveTriggers(organization.id);

  const shown = list.data?.pages.flatMap(({ data }) => data) ?? [];

  return (
    <Page
      title="Triggers"
      description="Schedules, webhooks and polling that start workflows by themselves."
      action={builds && <NewTriggerButton onClick={() => open({ create: "schedule" })} />}
    >
      {list.isError && !list.data && (
        <ProblemNotice error={list.error} action={<Button onClick={() => void list.refetch()}>Try again</Button>} />
      )}
      {list.isPending && <TriggerListSkeleton />}
      {list.data && (
        <WorkflowFilter
          organizationId={organization.id}
          shown={shown}
          hasMore={list.hasNextPage}
          value={workflowId ?? ""}
          onChange={(id) => open({ workflow: id })}
        />
      )}
      {list.data && shown.length === 0 && (
        <NoTriggers builds={builds} ofWorkflow={workflowId !== undefined} onCreate={(kind) => open({ create: kind })} />
      )}
      {notRemoved && <Notice kind="warning">The trigger is deleted. {notRemoved}</Notice>}
      <LeftWebhooks organization={organization} />
      {shown.length > 0 && (
        <TriggerList
          organization={organization}
          triggers={shown}
          onEdit={({ id }) => open({ trigger: id })}
          onDeleted={setNotRemoved}
        />
      )}
      {list.hasNextPage && (
        <Button
          className="justify-self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {builds && <TriggerDialogs organizationId={organization.id} shown={list.data && shown} />}
    </Page>
  );
}

function NewTriggerButton({ onClick }: { onClick: () => void }) {
  return (
    <Button look="primary" onClick={onClick}>
      <Plus className="size-4" aria-hidden="true" />
      New trigger
    </Button>
  );
}

function TriggerDialogs({ organizationId, shown }: { organizationId: string; shown: Trigger[] | undefined }) {
  const { workflow: workflowId, create, trigger: editedId } = useSearch({ from });
  const open = useOpen();
  const edited = useEdited(organizationId, { editedId, shown });
  return (
    <>
      {create && (
        <NewTriggerDialog
          organizationId={organizationId}
          kind={readKind(create)}
          workflowId={workflowId}
          onKind={(kind) => open({ create: kind })}
          onClose={() => open({ create: undefined })}
        />
      )}
      {edited && (
        <EditTriggerDialog
          organizationId={organizationId}
          trigger={edited}
          onClose={() => open({ trigger: undefined })}
        />
      )}
    </>
  );
}

/** One that is not among those shown is asked for: a link may name any. */
function useEdited(
  organizationId: string,
  { editedId, shown }: { editedId: string | undefined; shown: Trigger[] | undefined },
) {
  const found = shown?.find(({ id }) => id === editedId);
  const isElsewhere = editedId !== undefined && shown !== undefined && !found;
  const asked = useQuery({ ...triggerQuery(organizationId, editedId ?? ""), enabled: isElsewhere });
  return found ?? (isElsewhere ? asked.data : undefined);
}

/** Changes what the address says about this page. */
function useOpen() {
  const navigate = useNavigate({ from: "/o/$organizationId/triggers" });
  return (change: { workflow?: string; create?: string | undefined; trigger?: string | undefined }) =>
    void navigate({
      search: (before) => {
        const { workflow, create, trigger } = { ...before, ...change };
        return { ...(workflow && { workflow }), ...(create && { create }), ...(trigger && { trigger }) };
      },
      replace: "workflow" in change,
    });
}
