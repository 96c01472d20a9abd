import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { triggersQuery } from "../api/triggers.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { useOrganization } from "../session.ts";
import { EditTriggerDialog } from "./triggers/edit-trigger-dialog.tsx";
import { NewTriggerDialog } from "./triggers/new-trigger-dialog.tsx";
import { NoTriggers } from "./triggers/no-triggers.tsx";
import { TriggerList, TriggerListSkeleton } from "./triggers/trigger-list.tsx";
import { useLiveTriggers } from "./triggers/use-live-triggers.ts";
import { WorkflowFilter } from "./triggers/workflow-filter.tsx";

/** `create`: the kind of the new one; `trigger`: the one that is being changed. */
export function TriggersPage() {
  const organization = useOrganization();
  const builds = organization.role !== "viewer";
  const { workflow: workflowId, create, trigger: editedId } = useSearch({ from: "/signed-in/o/$organizationId/triggers" });
  const open = useOpen();
  const list = useQuery(triggersQuery(organization.id));
  useLiveTriggers(organization.id);

  const triggers = list.data;
  const shown = triggers?.filter((trigger) => !workflowId || trigger.workflowId === workflowId) ?? [];
  const edited = triggers?.find(({ id }) => id === editedId);

  return (
    <Page
      title="Triggers"
      description="Schedules and webhooks that start workflows by themselves."
      action={
        builds && (
          <Button look="primary" onClick={() => open({ create: "schedule" })}>
            <Plus className="size-4" aria-hidden="true" />
            New trigger
          </Button>
        )
      }
    >
      {list.isError && !triggers && (
        <ProblemNotice error={list.error} action={<Button onClick={() => void list.refetch()}>Try again</Button>} />
      )}
      {list.isPending && <TriggerListSkeleton />}
      {triggers && triggers.length > 0 && (
        <WorkflowFilter triggers={triggers} shown={shown} value={workflowId ?? ""} onChange={(id) => open({ workflow: id })} />
      )}
      {triggers && shown.length === 0 && (
        <NoTriggers builds={builds} ofWorkflow={workflowId !== undefined} onCreate={(kind) => open({ create: kind })} />
      )}
      {shown.length > 0 && <TriggerList organization={organization} triggers={shown} onEdit={({ id }) => open({ trigger: id })} />}
      {builds && create && (
        <NewTriggerDialog
          organizationId={organization.id}
          kind={create === "webhook" ? "webhook" : "schedule"}
          workflowId={workflowId}
          onKind={(kind) => open({ create: kind })}
          onClose={() => open({ create: undefined })}
        />
      )}
      {builds && edited && (
        <EditTriggerDialog organizationId={organization.id} trigger={edited} onClose={() => open({ trigger: undefined })} />
      )}
    </Page>
  );
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
