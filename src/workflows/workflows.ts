import { z } from "zod";
import { createBatch } from "../base/batch.ts";
import type { Clock } from "../base/clock.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, Sql } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import type { Vault } from "../vault/vault.ts";
import type { Author } from "./author.ts";
import { createCheckCanvas } from "./check-canvas.ts";
import { createUsesOfCredential } from "./credential-uses.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { findDraft } from "./draft-store.ts";
import { createDrafts } from "./drafts.ts";
import { engineNodes } from "./engine-nodes/engine-nodes.ts";
import { createErrorDefaults } from "./error-workflows.ts";
import { createFiles } from "./files.ts";
import { findWorkflows } from "./find-store.ts";
import { listLabels } from "./label-store.ts";
import { createPage } from "./page-of-workflows.ts";
import { createPins } from "./pins.ts";
import { requireRow, workflowNotFound } from "./refuse-change.ts";
import { createSaveWorkflow } from "./save-workflow.ts";
import * as store from "./store.ts";
import { createVariables } from "./variables/variables.ts";
import { createVersions } from "./versions.ts";
import type { SavedWorkflow, Workflow, WorkflowTool } from "./wire.ts";

export type Workflows = ReturnType<typeof createWorkflows>;

type Options = {
  db: Database;
  catalog: Pick<Catalog, "actions">;
  vault: Pick<Vault, "credentials" | "defaults">;
  clock: Clock;
};
type Place = { organizationId: string; workflowId: string };
/** Together with its runs, which workflows know nothing of. */
export type RemoveWorkflow = (place: Place) => Promise<void>;

const uuid = z.uuid();

/** The saved workflows of organizations. */
export function createWorkflows({ db, catalog, vault, clock }: Options) {
  const tables = store.workflowTables(db);
  const variables = createVariables({ db });
  const check = createCheckCanvas({ catalog, engineNodes, vault, variables, clock });
  const save = createSaveWorkflow({ db, checkCanvas: check });
  const drafts = createDrafts({ db, save });
  const runnable = createFindRunnable(db);

  async function get(organizationId: string, workflowId: string): Promise<Workflow> {
    const place = { organizationId, workflowId };
    return describeWorkflow(await requireRow(store.findWorkflow(tables, place)), await findDraft(tables, place));
  }

  /** What was never published has no other canvas than its draft's. */
  async function getToCopy(place: Place, preferDraft = false): Promise<Workflow> {
    const workflow = await get(place.organizationId, place.workflowId);
    if (workflow.version > 0 && !(preferDraft && workflow.draft)) return workflow;
    return { ...workflow, canvas: (await drafts.get(place)).canvas };
  }

  return {
    get,
    check,
    variables,
    defaults: createErrorDefaults({ db }),
    create: save.create,
    update: save.update,
    drafts,
    pins: createPins({ db }),
    versions: createVersions({ db, save, drafts }),
    files: createFiles({ tables, vault, get: getToCopy, create: save.create, check }),

    /** What a run needs to know, or undefined; on the way of every trigger. */
    find: async (organizationId: string, workflowId: string): Promise<store.RunnableRow | undefined> =>
      uuid.safeParse(workflowId).success ? await runnable.add({ organizationId, workflowId }) : undefined,

    /** Also of a workflow that was deleted: its runs are still shown. */
    versionCanvas: (organizationId: string, workflowId: string, version: number): Promise<string | undefined> =>
      store.findCanvas(db, { organizationId, workflowId }, version),

    /** The workflows offered as tools, by the name of the tool. */
    async listTools(
      organizationId: string,
    ): Promise<{ id: string; name: string; description: string; tool: WorkflowTool }[]> {
      return (await store.listOffered(db, organizationId)).map(({ toolName, toolInputs, ...workflow }) => ({
        ...workflow,
        tool: { name: toolName, inputs: JSON.parse(toolInputs ?? "[]") as WorkflowTool["inputs"] },
      }));
    },

    page: createPage(tables),

    /** A copy of what runs; of a draft, where nothing runs yet. `asDraft`: of what is edited, as a draft. */
    async duplicate(place: Place, asDraft: boolean, author: Author | null): Promise<SavedWorkflow> {
      const { name, description, folder, tags, isActive, errorWorkflow, canvas, version } = await getToCopy(
        place,
        asDraft,
      );
      const publish = version > 0 && !asDraft;
      return await save.create(
        place.organizationId,
        {
          name: `${name.slice(0, 193)} (copy)`,
          description,
          folder,
          tags,
          isActive: publish && isActive,
          errorWorkflow,
          canvas,
          publish,
        },
        author,
      );
    },

    /** In a transaction of the caller, who ends its runs in the same. */
    async markDeleted(sql: Sql, { organizationId, workflowId }: Place): Promise<void> {
      if (!(await store.markDeleted(sql, { organizationId, workflowId }))) throw workflowNotFound();
    },

    labels: (organizationId: string) => listLabels(db, organizationId),

    /** For whoever types a few letters of a name. */
    findByWords: (organizationId: string, { search, limit }: { search: string; limit: number }) =>
      findWorkflows(db, organizationId, { text: search, limit }),

    usesOfCredential: createUsesOfCredential(tables),
  };
}

/** Triggers that arrive together are looked up together. */
const createFindRunnable = (db: Database) =>
  createBatch<Place, store.RunnableRow | undefined>({
    maxItems: 256,
    isFatal: isDatabaseUnavailable,
    async flush(places) {
      const rows = await store.findRunnable(db, places);
      const found = new Map(rows.map((row) => [`${row.organizationId} ${row.id}`, row]));
      return places.map((place) => found.get(`${place.organizationId} ${place.workflowId}`.toLowerCase()));
    },
  });
