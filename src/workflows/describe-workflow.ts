import type { StoredWorkflow, VersionRow, WorkflowRow } from "./store.ts";
import type { Canvas, ToolInput, VersionEntry, Workflow, WorkflowHead } from "./wire.ts";

export const describeWorkflow = (row: StoredWorkflow): Workflow => ({
  ...summarize(row),
  canvasSha256: row.canvas_sha256.toString("hex"),
  canvas: JSON.parse(row.canvas) as Canvas,
});

export const summarize = (row: WorkflowRow): WorkflowHead => ({
  id: row.id,
  name: row.name,
  description: row.description,
  isActive: row.is_active,
  version: row.version,
  nodeCount: row.node_count,
  nodeKinds: row.node_kinds,
  tool:
    row.tool_name === null ? null : { name: row.tool_name, inputs: JSON.parse(row.tool_inputs ?? "[]") as ToolInput[] },
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const describeVersion = (row: Omit<VersionRow, "canvas" | "organization_id" | "workflow_id">): VersionEntry => ({
  version: row.version,
  note: row.note,
  canvasSha256: row.canvas_sha256.toString("hex"),
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
});
