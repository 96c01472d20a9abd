import { canvasColumns } from "./canvas-columns.ts";
import type { DraftHead as DraftHeadRow } from "./draft-store.ts";
import type { StoredWorkflow, VersionRow, WorkflowRow } from "./store.ts";
import type { Canvas, DraftHead, ToolInput, VersionEntry, Workflow, WorkflowHead } from "./wire.ts";

export const emptyCanvas: Canvas = { nodes: [], edges: [] };
const empty = canvasColumns(emptyCanvas);

export const describeWorkflow = (row: StoredWorkflow, draft: DraftHeadRow | undefined): Workflow => ({
  ...summarize(row, draft),
  canvasSha256: (row.canvas_sha256 ?? empty.canvas_sha256).toString("hex"),
  canvas: JSON.parse(row.canvas ?? empty.canvas) as Canvas,
});

export const summarize = (row: WorkflowRow, draft: DraftHeadRow | undefined): WorkflowHead => ({
  id: row.id,
  name: row.name,
  description: row.description,
  folder: row.folder,
  tags: row.tags,
  isActive: row.is_active,
  version: row.is_published ? row.version : 0,
  draft: draft ? describeDraft(draft) : null,
  nodeCount: row.node_count,
  nodeKinds: row.node_kinds,
  tool:
    row.tool_name === null ? null : { name: row.tool_name, inputs: JSON.parse(row.tool_inputs ?? "[]") as ToolInput[] },
  errorWorkflow: row.error_workflow,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const describeDraft = (row: DraftHeadRow): DraftHead => ({
  revision: row.revision,
  basedOn: row.based_on,
  faultCount: row.fault_count,
  savedBy: row.saved_by,
  savedByKey: row.saved_by_key,
  savedByName: row.saved_by_name,
  savedAt: row.saved_at.toISOString(),
});

export const describeVersion = (row: Omit<VersionRow, "canvas" | "organization_id" | "workflow_id">): VersionEntry => ({
  version: row.version,
  note: row.note,
  canvasSha256: row.canvas_sha256.toString("hex"),
  createdBy: row.created_by,
  createdByKey: row.created_by_key,
  createdByName: row.created_by_name,
  createdAt: row.created_at.toISOString(),
});
