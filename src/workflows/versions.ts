import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Author } from "./author.ts";
import { compareCanvases } from "./compare-versions.ts";
import type { Comparison } from "./comparison-wire.ts";
import { describeVersion, emptyCanvas } from "./describe-workflow.ts";
import type { createDrafts } from "./drafts.ts";
import { requireRow } from "./refuse-change.ts";
import { type SaveWorkflow, versionOf } from "./save-workflow.ts";
import * as store from "./store.ts";
import type { Canvas, SavedWorkflow, VersionEntry, WorkflowVersion } from "./wire.ts";

type Options = { db: Database; save: SaveWorkflow; drafts: Pick<ReturnType<typeof createDrafts>, "get"> };

/** What can be compared: a version, by its number or as the one that runs, and the draft. */
export type Compared = number | "published" | "draft";

/** The published canvases of a workflow: looked at, compared and brought back. */
export function createVersions({ db, save, drafts }: Options) {
  const tables = store.workflowTables(db);

  async function get(place: store.Place, version: number): Promise<WorkflowVersion> {
    await requireRow(store.findWorkflow(tables, place));
    const row = await store.findVersion(tables, place, version);
    if (!row) throw new Refusal("not_found", "There is no such version of this workflow.");
    return { ...describeVersion(row), canvas: JSON.parse(row.canvas) as Canvas };
  }

  /** Before the first publication what runs is nothing: an empty canvas. */
  async function find(place: store.Place, which: Compared): Promise<{ name: number | "draft"; canvas: Canvas }> {
    if (which === "draft") return { name: "draft", canvas: (await drafts.get(place)).canvas };
    const version = which === "published" ? versionOf(await requireRow(store.findWorkflow(tables, place))) : which;
    return { name: version, canvas: version === 0 ? emptyCanvas : (await get(place, version)).canvas };
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

    async compare(place: store.Place, from: Compared, to: Compared): Promise<Comparison> {
      const [before, after] = [await find(place, from), await find(place, to)];
      return { from: before.name, to: after.name, ...compareCanvases(before.canvas, after.canvas) };
    },

    /** A new version with an old canvas. It is checked like every other: what it names may be gone by now. */
    async restore(
      place: store.Place,
      { version, note = `Version ${version} restored` }: { version: number; note?: string | undefined },
      author: Author | null,
    ): Promise<SavedWorkflow> {
      const { canvas } = await get(place, version);
      return await save.update(place, { canvas, note }, author);
    },
  };
}
