import { createHash } from "node:crypto";
import { newId } from "../base/ids.ts";
import { type FieldFault, Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { CheckCanvas } from "./check-canvas.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import * as store from "./store.ts";
import type { CanvasNode, SavedWorkflow, WorkflowChange, WorkflowRequest, WorkflowTool } from "./wire.ts";

export type SaveWorkflow = ReturnType<typeof createSaveWorkflow>;

/** Creates and changes workflows. A canvas is checked first and kept as it was sent; every change of it is a new version. */
export function createSaveWorkflow({ db, checkCanvas }: { db: Database; checkCanvas: CheckCanvas }) {
  const tables = store.workflowTables(db);

  async function requireValid(organizationId: string, canvas: unknown): Promise<FieldFault[]> {
    const { faults, warnings } = await checkCanvas(organizationId, canvas);
    const [first] = faults;
    if (!first) return warnings;
    const others = faults.length === 1 ? "" : ` Faults on the canvas: ${faults.length}.`;
    throw new Refusal("validation_failed", `${first.pointer.slice(1)} ${first.detail}.${others}`, { errors: faults });
  }

  return {
    async create(organizationId: string, request: WorkflowRequest, createdBy: string | null): Promise<SavedWorkflow> {
      const { name, description = "", isActive = true, tool = null, canvas } = request;
      const warnings = await requireValid(organizationId, canvas);
      const place = { organizationId, workflowId: newId() };
      const row = {
        name,
        description,
        is_active: isActive,
        ...toolColumns(tool),
        ...canvasColumns(canvas),
        note: "",
        created_by: createdBy,
      };
      return await refusingTakenTool(() =>
        store.inTransaction(tables, async (transaction) => {
          await store.insertWorkflow(transaction, place, row);
          return { ...describeWorkflow(await requireRow(store.findWorkflow(transaction, place))), warnings };
        }),
      );
    },

    /** Changes nothing, not even the time of the last change, when everything is as it was. */
    async update(place: store.Place, change: WorkflowChange, changedBy: string | null): Promise<SavedWorkflow> {
      await requireRow(store.findWorkflow(tables, place));
      const warnings = change.canvas === undefined ? [] : await requireValid(place.organizationId, change.canvas);
      const saved = await refusingTakenTool(() =>
        store.inTransaction(tables, async (transaction) => {
          const row = await requireRow(store.lockWorkflow(transaction, place));
          requireVersion(row.version, change.expectedVersion);
          const canvas = changedCanvas(row, change);
          const settings = changedSettings(row, change);
          if (!canvas && Object.keys(settings).length === 0) return row;
          if (canvas) await store.insertVersion(transaction, place, { ...canvas.version, created_by: changedBy });
          await store.updateWorkflow(transaction, place, { ...settings, ...canvas?.ofWorkflow });
          return await requireRow(store.findWorkflow(transaction, place));
        }),
      );
      return { ...describeWorkflow(saved), warnings };
    },
  };
}

export const workflowNotFound = () =>
  new Refusal("workflow_not_found", "There is no such workflow in this organization.");

export async function requireRow<Row>(found: Promise<Row | undefined>): Promise<Row> {
  const row = await found;
  if (row === undefined) throw workflowNotFound();
  return row;
}

function canvasColumns(canvas: Record<string, unknown>) {
  const text = JSON.stringify(canvas);
  const nodes = canvas.nodes as CanvasNode[];
  return {
    canvas: text,
    canvas_sha256: createHash("sha256").update(text).digest(),
    node_count: nodes.length,
    node_kinds: [...new Set(nodes.map(({ nodeId }) => nodeId))],
  };
}

function changedCanvas(row: store.StoredWorkflow, { canvas, note = "" }: WorkflowChange) {
  if (canvas === undefined) return undefined;
  const { node_count, node_kinds, ...columns } = canvasColumns(canvas);
  const version = row.version + 1;
  if (columns.canvas === row.canvas) return undefined;
  return { version: { version, note, ...columns }, ofWorkflow: { version, node_count, node_kinds } };
}

const toolColumns = (tool: WorkflowTool | null) => ({
  tool_name: tool?.name ?? null,
  tool_inputs: tool ? JSON.stringify(tool.inputs) : null,
});

function changedSettings(
  row: store.Settings,
  { name, description, isActive, tool }: WorkflowChange,
): Partial<store.Settings> {
  const wanted = { name, description, is_active: isActive, ...(tool === undefined ? {} : toolColumns(tool)) };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([column, value]) => value !== undefined && value !== row[column as keyof store.Settings],
    ),
  );
}

function requireVersion(version: number, expected = version): void {
  if (version === expected) return;
  const message = `Somebody else has saved this workflow: it is at version ${version} now. Load it and make the change again.`;
  throw new Refusal("conflict", message);
}

async function refusingTakenTool<Value>(save: () => Promise<Value>): Promise<Value> {
  try {
    return await save();
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint !== "workflow_by_tool") throw error;
    throw new Refusal("conflict", "Another workflow of this organization is offered as a tool under this name.", {
      errors: [{ pointer: "/tool/name", detail: "is the name of another workflow's tool" }],
    });
  }
}
