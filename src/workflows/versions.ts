import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { compareCanvases } from "./compare-versions.ts";
import { describeVersion } from "./describe-workflow.ts";
import { requireRow, type SaveWorkflow } from "./save-workflow.ts";
import * as store from "./store.ts";
import type { Canvas, Comparison, SavedWorkflow, VersionEntry, WorkflowVersion } from "./wire.ts";

/** The earlier canvases of a workflow: looked at, compared and brought back. */
export function createVersions({ db, save }: { db: Database; save: SaveWorkflow }) {
  const tables = store.workflowTables(db);

  async function get(place: store.Place, version: number): Promise<WorkflowVersion> {
    await requireRow(store.findWorkflow(tables, place));
    const row = await store.findVersion(tables, place, version);
    if (!row) throw new Refusal("not_found", "There is no such version of this workflow.");
    return { ...describeVersion(row), canvas: JSON.parse(row.canvas) as Canvas };
  }

  return {
    get,

    async page(
      place: store.Place,
      page: { offset: number; limit: number },
    ): Promise<{ data: VersionEntry[]; total: number }> {
      await requireRow(store.findWorkflow(tables, place));
      const { rows, total } = await store.pageOfVersions(tables, place, page);
      return { data: rows.map(describeVersion), total };
    },

    async compare(place: store.Place, from: number, to: number): Promise<Comparison> {
      const [before, after] = [await get(place, from), await get(place, to)];
      return { from, to, ...compareCanvases(before.canvas, after.canvas) };
    },

    /** A new version with an old canvas. It is checked like every other: what it names may be gone by now. */
    async restore(place: store.Place, version: number, restoredBy: string | null): Promise<SavedWorkflow> {
      const { canvas } = await get(place, version);
      return await save.update(place, { canvas, note: `Version ${version} restored` }, restoredBy);
    },
  };
}
