import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, use, useState } from "react";
import type { Workflow } from "../../src/workflows/wire.ts";
import { draftQuery, workflowQuery } from "../api/workflows.ts";
import { type NodeKind, nodeKindsQuery } from "../catalog.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { useOrganization } from "../session.ts";
import { CanvasSkeleton } from "./canvas-skeleton.tsx";
import { readCanvas } from "./edit/read-clip.ts";
import { WorkflowEditor } from "./editor/workflow-editor.tsx";
import { placeUnplaced } from "./place-nodes.ts";
import type { BasedCanvas } from "./save/create-autosave.ts";

export function WorkflowPage() {
  const { organizationId, workflowId } = useParams({ from: "/signed-in/o/$organizationId/workflows/$workflowId" });
  const kinds = useQuery(nodeKindsQuery);
  // Always asked for anew: what is edited must be what is saved, not what was seen here some time ago.
  const workflow = useQuery({
    ...workflowQuery(organizationId, workflowId),
    refetchOnMount: "always",
    refetchOnWindowFocus: false,
  });
  const failed = [kinds, workflow].find(({ isError, data }) => isError && !data);
  if (failed) {
    return (
      <Page title="Workflow">
        <ProblemNotice error={failed.error} action={<Button onClick={() => void failed.refetch()}>Try again</Button>} />
      </Page>
    );
  }
  if (!kinds.data || !workflow.data || !workflow.isFetchedAfterMount) return <WaitingPage />;
  return (
    <Suspense fallback={<WaitingPage />}>
      <LoadedWorkflow key={workflowId} workflow={workflow.data} kinds={kinds.data} />
    </Suspense>
  );
}

type LoadedProps = { workflow: Workflow; kinds: Map<string, NodeKind> };

/** Where there is a draft, that is what is edited. */
function LoadedWorkflow({ workflow, kinds }: LoadedProps) {
  const { id: organizationId } = useOrganization();
  const [{ draft: firstDraft, version, canvas: published }] = useState(workflow);
  const draft = useQuery({
    ...draftQuery(organizationId, workflow.id),
    // Once it is published or discarded there is none to ask for.
    enabled: firstDraft !== null && workflow.draft !== null,
    refetchOnMount: "always",
    refetchOnWindowFocus: false,
  });
  const shared = { workflow, kinds };
  if (!firstDraft) return <OpenedWorkflow first={{ canvas: published, version, revision: undefined }} {...shared} />;
  if (draft.isError && !draft.data)
    return (
      <Page title={workflow.name}>
        <ProblemNotice error={draft.error} action={<Button onClick={() => void draft.refetch()}>Try again</Button>} />
      </Page>
    );
  if (!draft.data || !draft.isFetchedAfterMount) return <WaitingPage />;
  const canvas = readCanvas(draft.data.canvas);
  if (!canvas)
    return (
      <Page title={workflow.name}>
        <Notice kind="warning">
          The draft of this workflow cannot be drawn: it is no list of nodes and edges. Change it where it was made.
        </Notice>
      </Page>
    );
  // What was published since the draft was made is told by the first save.
  const { revision, basedOn } = draft.data;
  return <OpenedWorkflow first={{ canvas, version: basedOn, revision }} {...shared} />;
}

function OpenedWorkflow({ first: given, workflow, kinds }: LoadedProps & { first: BasedCanvas }) {
  const { id: organizationId, role } = useOrganization();
  const [first] = useState(given);
  const place = placeUnplaced(first.canvas, kinds);
  const canvas = place instanceof Promise ? use(place) : place;
  const [opened] = useState(() => ({ ...first, canvas }));
  return (
    <WorkflowEditor
      organizationId={organizationId}
      opened={opened}
      workflow={workflow}
      kinds={kinds}
      readOnly={role === "viewer"}
    />
  );
}

function WaitingPage() {
  return (
    <div className="flex h-[calc(100dvh-3.75rem)] flex-col md:h-dvh">
      <div className="h-13 border-b border-line bg-surface" />
      <CanvasSkeleton />
    </div>
  );
}
