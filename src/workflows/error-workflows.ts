import { type FieldFault, Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { findByName, findDefaultErrorWorkflow, putDefaultErrorWorkflow } from "./error-store.ts";
import type { ErrorWorkflow, ErrorWorkflowOfFile, WorkflowDefaults } from "./error-wire.ts";
import * as store from "./store.ts";

/** Refuses an error workflow that there is not, and one that would be its own. */
export async function requireErrorWorkflow(
  tables: store.WorkflowsDb,
  { organizationId, workflowId }: store.Place,
  wanted: ErrorWorkflow | undefined,
): Promise<void> {
  if (wanted === undefined || wanted === "default" || wanted === "none") return;
  if (wanted === workflowId)
    throw refuse("/errorWorkflow", "must be another workflow: none is told of its own failures");
  if (!(await store.findWorkflow(tables, { organizationId, workflowId: wanted })))
    throw refuse("/errorWorkflow", "is no workflow of this organization");
}

function refuse(pointer: string, detail: string): Refusal {
  return new Refusal("validation_failed", `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] });
}

/** The error workflow of all workflows of an organization that name no other. */
export function createErrorDefaults({ db }: { db: Database }) {
  const tables = store.workflowTables(db);

  return {
    async get(organizationId: string): Promise<WorkflowDefaults> {
      return { errorWorkflowId: await findDefaultErrorWorkflow(db, organizationId) };
    },

    async put(organizationId: string, { errorWorkflowId }: WorkflowDefaults): Promise<WorkflowDefaults> {
      if (errorWorkflowId && !(await store.findWorkflow(tables, { organizationId, workflowId: errorWorkflowId })))
        throw refuse("/errorWorkflowId", "is no workflow of this organization");
      await putDefaultErrorWorkflow(db, organizationId, errorWorkflowId);
      return { errorWorkflowId };
    },
  };
}

/** As a file names it; nothing for the organization's, and for one that is gone. */
export async function toErrorWorkflowOfFile(
  tables: store.WorkflowsDb,
  organizationId: string,
  wanted: ErrorWorkflow,
): Promise<ErrorWorkflowOfFile> {
  if (wanted === "default" || wanted === "none") return wanted === "none" ? wanted : undefined;
  const row = await store.findWorkflow(tables, { organizationId, workflowId: wanted });
  return row && { name: row.name };
}

/** The workflow that a file means: the one with that name, when there is exactly one. */
export async function fromErrorWorkflowOfFile(
  tables: store.WorkflowsDb,
  organizationId: string,
  wanted: ErrorWorkflowOfFile,
): Promise<{ errorWorkflow: ErrorWorkflow; warnings: FieldFault[] }> {
  if (wanted === undefined || wanted === "none") return { errorWorkflow: wanted ?? "default", warnings: [] };
  const [only, another] = await findByName(tables, organizationId, wanted.name);
  if (only && !another) return { errorWorkflow: only.id, warnings: [] };
  const words = another ? "more than one workflow has" : "no workflow has";
  const detail = `is left to the organization's error workflow: ${words} this name`;
  return { errorWorkflow: "default", warnings: [{ pointer: "/errorWorkflow", detail }] };
}
