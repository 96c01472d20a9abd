import { newId } from "../base/ids.ts";
import { type FieldFault, maxFieldFaults, Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { type Author, createdBy, savedBy } from "./author.ts";
import { canvasColumns, countNodes, type SavedCanvas } from "./canvas-columns.ts";
import type { CheckCanvas } from "./check-canvas.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { findDraft, putDraft } from "./draft-store.ts";
import { requireErrorWorkflow } from "./error-workflows.ts";
import type { LabelChange } from "./label-wire.ts";
import { changedLabels } from "./labels.ts";
import { removeLostPins } from "./pins.ts";
import { neverPublished, refuseTakenTool, requireDraft, requireRow, requireVersion } from "./refuse-change.ts";
import * as store from "./store.ts";
import type { SavedWorkflow, WorkflowChange, WorkflowRequest, WorkflowTool } from "./wire.ts";

export type SaveWorkflow = ReturnType<typeof createSaveWorkflow>;

/** `faults` are those of a draft: what is published has none. */
type Judged = { faults?: FieldFault[]; warnings: FieldFault[] };
type Asked = { change: WorkflowChange; author: Author | null } & Judged;
type Locked = { transaction: store.WorkflowsDb; place: store.Place; row: store.StoredWorkflow };

/** Creates and changes workflows. A canvas is kept as it was sent: one without faults as a new version, which runs, or any as a draft. */
export function createSaveWorkflow({ db, checkCanvas }: { db: Database; checkCanvas: CheckCanvas }) {
  const tables = store.workflowTables(db);

  async function judge(organizationId: string, canvas: unknown, publish = true): Promise<Judged> {
    const { faults, warnings } = await checkCanvas(organizationId, canvas);
    const [first] = faults;
    if (!publish) return { faults, warnings };
    if (!first) return { warnings };
    const others = faults.length === 1 ? "" : ` Faults on the canvas: ${faults.length}.`;
    throw new Refusal("validation_failed", `${first.pointer.slice(1)} ${first.detail}.${others}`, { errors: faults });
  }

  async function describe(db: store.WorkflowsDb, place: store.Place, { faults, warnings }: Judged) {
    const [row, draft] = [await requireRow(store.findWorkflow(db, place)), await findDraft(db, place)];
    const hindering = faults ? { faults: faults.slice(0, maxFieldFaults) } : {};
    return { ...describeWorkflow(row, draft), ...hindering, warnings };
  }

  return {
    judge,
    describe,

    async create(organizationId: string, request: WorkflowRequest, author: Author | null): Promise<SavedWorkflow> {
      const { canvas, publish = true } = request;
      const settings = firstSettings(request);
      requireOff({ ...settings, is_published: publish });
      const judged = await judge(organizationId, canvas, publish);
      const place = { organizationId, workflowId: newId() };
      await requireErrorWorkflow(tables, place, request.errorWorkflow);
      const row = { ...settings, is_published: publish, ...countNodes(canvas), created_by: author?.userId ?? null };
      return await refuseTakenTool(() =>
        store.inTransaction(tables, async (transaction) => {
          await store.insertWorkflow(transaction, place, row);
          if (publish) await store.insertVersion(transaction, place, firstVersion(canvas, author));
          else {
            const locked = { transaction, place, row: await requireRow(store.findWorkflow(transaction, place)) };
            await saveDraft(locked, { change: { canvas }, author, ...judged });
          }
          return await describe(transaction, place, judged);
        }),
      );
    },

    /** Changes nothing, not even the time of the last change, when everything is as it was. */
    async update(
      place: store.Place,
      change: WorkflowChange & LabelChange,
      author: Author | null,
    ): Promise<SavedWorkflow> {
      await requireRow(store.findWorkflow(tables, place));
      await requireErrorWorkflow(tables, place, change.errorWorkflow);
      const { canvas, publish = true } = change;
      const judged = canvas === undefined ? { warnings: [] } : await judge(place.organizationId, canvas, publish);
      return await refuseTakenTool(() =>
        store.inTransaction(tables, async (transaction) => {
          const row = await requireRow(store.lockWorkflow(transaction, place));
          requireVersion(versionOf(row), change.expectedVersion);
          const keep = publish ? publishCanvas : saveDraft;
          const ofCanvas = await keep({ transaction, place, row }, { change, author, ...judged });
          const columns = { ...ofCanvas, ...changedSettings(row, change), ...changedLabels(row, change) };
          requireOff({ ...row, ...columns });
          if (Object.keys(columns).length > 0) await store.updateWorkflow(transaction, place, columns);
          await forgetPins(transaction, place, change);
          return await describe(transaction, place, judged);
        }),
      );
    },
  };
}

/** What a new workflow has besides its canvas. */
function firstSettings({ name, tool = null, publish = true, ...request }: WorkflowRequest): store.Settings {
  const { description = "", folder = "", tags = [], isActive = publish, errorWorkflow = "default" } = request;
  const ofErrors = { error_workflow: errorWorkflow };
  return { name, description, folder, tags, is_active: isActive, ...toolColumns(tool), ...ofErrors };
}

/** Whoever deletes a node of a draft may still take that back, and finds its data. */
async function forgetPins(transaction: store.WorkflowsDb, place: store.Place, change: WorkflowChange): Promise<void> {
  if (change.canvas !== undefined && change.publish !== false) await removeLostPins(transaction, place);
}

function requireOff({ is_active, is_published }: Pick<store.WorkflowRow, "is_active" | "is_published">): void {
  if (is_active && !is_published) throw neverPublished("It cannot be turned on before it is published.");
}

/** 0 as long as nothing was published. */
export const versionOf = ({ is_published, version }: store.WorkflowRow): number => (is_published ? version : 0);

const firstVersion = (canvas: SavedCanvas, author: Author | null) => ({
  version: 1,
  note: "",
  ...canvasColumns(canvas),
  ...createdBy(author),
});

type OfCanvas = Partial<store.WorkflowRow>;

/** Makes a canvas without faults the version that runs, and gives what changes of the workflow. The first one turns it on. */
export async function publishCanvas({ transaction, place, row }: Locked, { change, author }: Asked): Promise<OfCanvas> {
  const { canvas, note = "" } = change;
  if (canvas === undefined) return {};
  const columns = canvasColumns(canvas);
  if (columns.canvas === row.canvas) return {};
  const version = versionOf(row) + 1;
  await store.insertVersion(transaction, place, { version, note, ...columns, ...createdBy(author) });
  const first = row.is_published ? {} : { is_published: true, is_active: change.isActive ?? true };
  return { version, ...countNodes(canvas), ...first };
}

/** Keeps a canvas beside the version that runs, whatever its faults. */
async function saveDraft(
  { transaction, place, row }: Locked,
  { change, author, faults = [] }: Asked,
): Promise<OfCanvas> {
  const { canvas } = change;
  if (canvas === undefined) return {};
  const draft = await findDraft(transaction, place);
  requireDraft(draft, change.expectedDraft);
  const columns = canvasColumns(canvas);
  const isAsBefore = columns.canvas === (draft ?? row).canvas;
  if (isAsBefore && (draft?.based_on ?? versionOf(row)) === versionOf(row)) return {};
  const revision = row.draft_revision + 1;
  await putDraft(transaction, place, {
    revision,
    based_on: versionOf(row),
    ...columns,
    faults: JSON.stringify(faults.slice(0, maxFieldFaults)),
    fault_count: faults.length,
    ...savedBy(author),
  });
  const counted = row.is_published ? {} : countNodes(canvas);
  return { draft_revision: revision, ...counted };
}

const toolColumns = (tool: WorkflowTool | null) => ({
  tool_name: tool?.name ?? null,
  tool_inputs: tool ? JSON.stringify(tool.inputs) : null,
});

function changedSettings(
  row: store.Settings,
  { name, description, isActive, tool, errorWorkflow }: WorkflowChange,
): Partial<store.Settings> {
  const wanted = {
    name,
    description,
    is_active: isActive,
    error_workflow: errorWorkflow,
    ...(tool === undefined ? {} : toolColumns(tool)),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([column, value]) => value !== undefined && value !== row[column as keyof store.Settings],
    ),
  );
}
