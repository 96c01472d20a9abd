import { Refusal } from "../../base/refusal.ts";
import type { Sql } from "../../storage/database.ts";
import type { Canvas } from "../../workflows/wire.ts";
import { type DraftPlace, findDoneWrites } from "./editor-store.ts";

type Asked = {
  draft: DraftPlace;
  canvas: Canvas;
  /** Canvas ids of nodes that are executed and change something outside. */
  writes: string[];
};

/** Refuses to do once more, without being asked, what was done outside in this draft. */
export async function refuseRepeats(sql: Sql, { draft, canvas, writes }: Asked): Promise<void> {
  const done = await findDoneWrites(sql, draft, writes);
  if (done.length === 0) return;
  const nameOf = (id: string) => canvas.nodes.find((node) => node.id === id)?.name || id;
  const names = done.map(({ nodeId }) => `"${nameOf(nodeId)}"`).join(", ");
  const errors = done.map(({ nodeId, runId }) => ({
    pointer: `/nodes/${nodeId}`,
    detail: `has run in this draft already, in the run ${runId}`,
  }));
  const message = `${names} changed something outside in this draft already, and would do so once more. Allow that, or pin what came out of it.`;
  throw new Refusal("write_repeated", message, { errors });
}
