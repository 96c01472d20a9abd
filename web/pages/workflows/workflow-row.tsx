import { Link } from "@tanstack/react-router";
import { Code, Copy, Download, Ellipsis, Folder, SquarePen, Tag, Trash } from "lucide-react";
import { useState } from "react";
import type { WorkflowSummary } from "../../../src/workflows/wire.ts";
import { changeWorkflow, workflowFileAddress } from "../../api/workflows.ts";
import { Badge } from "../../parts/badge.tsx";
import { download } from "../../parts/download.ts";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { Status } from "../../parts/status.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import type { MyOrganization } from "../../session.ts";
import { DuplicateDialog } from "./duplicate-dialog.tsx";
import { useOpenWorkflow } from "./use-open-workflow.ts";
import { WorkflowIcons } from "./workflow-icons.tsx";

type WorkflowRowProps = {
  organization: MyOrganization;
  workflow: WorkflowSummary;
  refresh: () => Promise<unknown>;
  onDelete: () => void;
  onCall: () => void;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
};

export function WorkflowRow({
  organization,
  workflow,
  refresh,
  onDelete,
  onCall,
  isChosen,
  onChoose,
}: WorkflowRowProps) {
  const builds = organization.role !== "viewer";
  const [isDuplicating, setDuplicating] = useState(false);
  return (
    <li className="grid gap-3 px-5 py-4 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {builds && (
          <input
            type="checkbox"
            aria-label={`Choose “${workflow.name}”`}
            checked={isChosen}
            onChange={(event) => onChoose(event.target.checked)}
            className="size-4 self-start accent-accent mt-1"
          />
        )}
        <div className="min-w-0 flex-1 basis-40">
          <Link
            to="/o/$organizationId/workflows/$workflowId"
            params={{ organizationId: organization.id, workflowId: workflow.id }}
            className="font-medium wrap-anywhere underline-offset-4 hover:underline"
          >
            {workflow.name}
          </Link>
          {workflow.description && (
            <p className="mt-0.5 line-clamp-2 text-sm text-muted wrap-anywhere">{workflow.description}</p>
          )}
          <Facts organizationId={organization.id} workflow={workflow} />
        </div>
        <div className="flex items-center gap-2">
          <OnOff organization={organization} workflow={workflow} refresh={refresh} />
          <div className="shrink-0">
            <RowMenu
              organizationId={organization.id}
              workflow={workflow}
              builds={builds}
              onDuplicate={() => setDuplicating(true)}
              onDelete={onDelete}
              onCall={onCall}
            />
          </div>
        </div>
      </div>
      {isDuplicating && (
        <DuplicateDialog organizationId={organization.id} workflow={workflow} onClose={() => setDuplicating(false)} />
      )}
    </li>
  );
}

function OnOff({ organization, workflow, refresh }: Pick<WorkflowRowProps, "organization" | "workflow" | "refresh">) {
  if (workflow.version === 0) return <Badge>Never published</Badge>;
  if (organization.role === "viewer") return <Badge>{workflow.isActive ? "On" : "Off"}</Badge>;
  return (
    <Switch
      label={`“${workflow.name}” is on`}
      on={workflow.isActive}
      change={async (isActive) => {
        await changeWorkflow(organization.id, workflow.id, { isActive });
        await refresh();
      }}
    />
  );
}

function Facts({ organizationId, workflow }: { organizationId: string; workflow: WorkflowSummary }) {
  const { lastRun, triggers, nodeCount, nodeKinds, tool, draft, version } = workflow;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm text-muted">
      {lastRun ? (
        <Link
          to="/o/$organizationId/runs/$runId"
          params={{ organizationId, runId: lastRun.id }}
          className="inline-flex items-center gap-2 underline-offset-4 hover:underline"
        >
          <span className="sr-only">Last run:</span>
          <Status status={lastRun.status} />
          <TimeAgo at={lastRun.completedAt ?? lastRun.createdAt} />
        </Link>
      ) : (
        <span>Not run yet</span>
      )}
      <Link
        to="/o/$organizationId/triggers"
        params={{ organizationId }}
        search={{ workflow: workflow.id }}
        className="underline-offset-4 hover:underline"
      >
        {describeTriggers(triggers)}
      </Link>
      <span>{nodeCount === 1 ? "1 node" : `${nodeCount} nodes`}</span>
      {draft && version > 0 && <span className="text-warning">Draft not published</span>}
      <WorkflowIcons nodeKinds={nodeKinds} />
      {tool && <span className="font-mono text-xs wrap-anywhere">{tool.name}</span>}
      <Labels organizationId={organizationId} workflow={workflow} />
    </div>
  );
}

function Labels({ organizationId, workflow: { folder, tags } }: { organizationId: string; workflow: WorkflowSummary }) {
  const links = [
    ...(folder === "" ? [] : [{ text: folder, search: { folder }, Icon: Folder }]),
    ...tags.map((tag) => ({ text: tag, search: { tag }, Icon: Tag })),
  ];
  return links.map(({ text, search, Icon }) => (
    <Link
      key={Object.keys(search) + text}
      to="/o/$organizationId/workflows"
      params={{ organizationId }}
      search={search}
      className="inline-flex items-center gap-1 underline-offset-4 wrap-anywhere hover:underline"
    >
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {text}
    </Link>
  ));
}

function describeTriggers({ active, total }: WorkflowSummary["triggers"]): string {
  if (total === 0) return "No triggers";
  const words = `${active} active ${active === 1 ? "trigger" : "triggers"}`;
  return active === total ? words : `${words} of ${total}`;
}

type RowMenuProps = Pick<WorkflowRowProps, "workflow" | "onDelete" | "onCall"> & {
  organizationId: string;
  builds: boolean;
  onDuplicate: () => void;
};

function RowMenu({ organizationId, workflow, builds, onDuplicate, onDelete, onCall }: RowMenuProps) {
  const openWorkflow = useOpenWorkflow(organizationId);
  return (
    <Menu label={`More for “${workflow.name}”`} trigger={<Ellipsis className="size-4" aria-hidden="true" />}>
      <MenuItem onSelect={() => openWorkflow(workflow.id)}>
        <SquarePen className="size-4 text-muted" aria-hidden="true" />
        Open
      </MenuItem>
      <MenuItem onSelect={onCall}>
        <Code className="size-4 text-muted" aria-hidden="true" />
        Call this workflow
      </MenuItem>
      {builds && (
        <MenuItem onSelect={onDuplicate}>
          <Copy className="size-4 text-muted" aria-hidden="true" />
          Duplicate
        </MenuItem>
      )}
      <MenuItem onSelect={() => download(workflowFileAddress(organizationId, workflow.id))}>
        <Download className="size-4 text-muted" aria-hidden="true" />
        Export as a file
      </MenuItem>
      {builds && (
        <>
          <MenuLine />
          <MenuItem onSelect={onDelete}>
            <Trash className="size-4 text-danger" aria-hidden="true" />
            Delete
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
