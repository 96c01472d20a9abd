import { type FieldFault, Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Author } from "./author.ts";
import type { SavedCanvas } from "./canvas-columns.ts";
import { describeDraft, emptyCanvas } from "./describe-workflow.ts";
import { deleteDraft, findDraft } from "./draft-store.ts";
import type { PublishedWorkflow } from "./pin-wire.ts";
import { removeLostPins } from "./pins.ts";
import { neverPublished, noDraft, requireDraft, requireRow, requireVersion } from "./refuse-change.ts";
import { publishCanvas, type SaveWorkflow, versionOf } from "./save-workflow.ts";
import * as store from "./store.ts";
import type { Canvas, Publication, WorkflowDraft } from "./wire.ts";

/** What was changed of workflows and does not run yet: looked at, published, thrown away. */
export function createDrafts({ db, save }: { db: Database; save: Pick<SaveWorkflow, "judge" | "describe"> }) {
  const tables = store.workflowTables(db);

  async function require(place: store.Place): Promise<store.DraftRow> {
    await requireRow(store.findWorkflow(tables, place));
    const draft = await findDraft(tables, place);
    if (!draft) throw noDraft();
    return draft;
  }

  return {
    async get(place: store.Place): Promise<WorkflowDraft> {
      const draft = await require(place);
      return {
        ...describeDraft(draft),
        faults: JSON.parse(draft.faults) as FieldFault[],
        canvasSha256: draft.canvas_sha256.toString("hex"),
        canvas: JSON.parse(draft.canvas) as Canvas,
      };
    },

    /** What people edit: the draft, with the version it was made on, or what is published where there is none. It may have any form. */
    async edited(place: store.Place): Promise<{ canvas: SavedCanvas; basedOn: number }> {
      const row = await requireRow(store.findWorkflow(tables, place));
      const draft = await findDraft(tables, place);
      const text = draft?.canvas ?? row.canvas;
      const canvas = text === null ? emptyCanvas : (JSON.parse(text) as SavedCanvas);
      return { canvas, basedOn: draft?.based_on ?? versionOf(row) };
    },

    /** Checks it again: what it names may be gone by now. */
    async publish(place: store.Place, asked: Publication, author: Author | null): Promise<PublishedWorkflow> {
      const draft = await require(place);
      requireDraft(draft, asked.expectedDraft ?? draft.revision);
      const canvas = JSON.parse(draft.canvas) as SavedCanvas;
      const judged = await save.judge(place.organizationId, canvas);
      return await store.inTransaction(tables, async (transaction) => {
        const row = await requireRow(store.lockWorkflow(transaction, place));
        requireDraft(await findDraft(transaction, place), draft.revision);
        requireBase(versionOf(row), draft, asked.expectedVersion);
        const { note, isActive } = asked;
        const change = { canvas, note, isActive };
        const published = await publishCanvas({ transaction, place, row }, { change, author, ...judged });
        const settings = isActive === undefined ? {} : { is_active: isActive };
        await deleteDraft(transaction, place);
        await store.updateWorkflow(transaction, place, {
          ...published,
          ...settings,
          draft_revision: row.draft_revision + 1,
        });
        const pinnedNodes = await removeLostPins(transaction, place);
        return { ...(await save.describe(transaction, place, judged)), pinnedNodes };
      });
    },

    async discard(place: store.Place, expectedDraft: number | undefined): Promise<void> {
      await require(place);
      await store.inTransaction(tables, async (transaction) => {
        const row = await requireRow(store.lockWorkflow(transaction, place));
        const draft = await findDraft(transaction, place);
        if (!draft) throw noDraft();
        requireDraft(draft, expectedDraft ?? draft.revision);
        if (!row.is_published) throw neverPublished("Its draft is all there is: delete the workflow instead.");
        await deleteDraft(transaction, place);
        await store.updateWorkflow(transaction, place, { draft_revision: row.draft_revision + 1 });
        await removeLostPins(transaction, place);
      });
    },
  };
}

/** A version that was published since the draft was made would be undone by it: whoever wants that says so. */
function requireBase(version: number, { based_on }: store.DraftRow, expected: number | undefined): void {
  if (expected !== undefined) requireVersion(version, expected);
  else if (based_on !== version)
    throw new Refusal(
      "conflict",
      `The draft was made on version ${based_on}, and version ${version} was published since. Compare them, then say expectedVersion ${version}.`,
    );
}
