import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, use, useState } from "react";
import type { Workflow } from "../../src/workflows/wire.ts";
import { workflowQuery } from "../api/workflows.ts";
import { type NodeKind, nodeKindsQuery } from "../catalog.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { useOrganization } from "../session.ts";
import { CanvasSkeleton } from "./canvas-skeleton.tsx";
import { WorkflowEditor } from "./editor/workflow-editor.tsx";
import { placeUnplaced } from "./place-nodes.ts";

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
      <OpenedWorkflow key={workflowId} workflow={workflow.data} kinds={kinds.data} />
    </Suspense>
  );
}

function OpenedWorkflow({ workflow, kinds }: { workflow: Workflow; kinds: Map<string, NodeKind> }) {
  const { id: organizationId, role } = useOrganization();
  const [first] = useState(workflow);
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
