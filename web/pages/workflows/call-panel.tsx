import { Link } from "@tanstack/react-router";
import type { Canvas, Workflow } from "../../../src/workflows/wire.ts";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { managesMembers, useOrganization } from "../../session.ts";
import { keyVariable } from "./call/call.ts";
import { CallOptions } from "./call/call-options.tsx";
import { SnippetTabs } from "./call/snippet-tabs.tsx";
import { TryCall } from "./call/try-call.tsx";
import { useCall } from "./call/use-call.ts";

/** How a program starts this workflow: its address, ready examples, and a field to try it. */
export function CallPanel({
  organizationId,
  workflow,
  canvas,
}: {
  organizationId: string;
  workflow: Workflow;
  canvas: Canvas;
}) {
  const draft = useCall(workflow.id);
  const address = `${location.origin}/task-runner/trigger/${workflow.id}`;
  return (
    <div className="grid grid-cols-1 gap-6">
      {!workflow.isActive && <Notice kind="warning">This workflow is off: calls are refused until it is on.</Notice>}
      <div className="grid gap-2">
        <CopyField label="Address (POST)" text={address} />
        <KeyHint organizationId={organizationId} />
        <p className="text-sm text-muted">
          Another workflow of this organization calls it with the node “Call workflow”.
        </p>
      </div>
      <CallOptions organizationId={organizationId} canvas={canvas} draft={draft} />
      {draft.call && <SnippetTabs call={draft.call} />}
      <TryCall organizationId={organizationId} workflowId={workflow.id} call={draft.call} />
    </div>
  );
}

function KeyHint({ organizationId }: { organizationId: string }) {
  const { role } = useOrganization();
  return (
    <p className="text-sm text-muted">
      The examples take the key from <code className="font-mono text-xs">{keyVariable}</code>. It needs the scope{" "}
      <code className="font-mono text-xs">workflows:trigger</code>.{" "}
      {managesMembers(role) ? (
        <Link
          to="/o/$organizationId/api-keys"
          params={{ organizationId }}
          search={{ create: "workflows:trigger" }}
          className="text-accent underline underline-offset-4"
        >
          Create a key
        </Link>
      ) : (
        "Owners and admins create keys."
      )}
    </p>
  );
}
