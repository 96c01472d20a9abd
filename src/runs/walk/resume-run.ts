import type { Database } from "../../storage/database.ts";
import type { Claim } from "../queue/run-queue.ts";
import type { AdoptedRun } from "../store.ts";
import type { Graph } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import type { KeptOutputs } from "./kept-outputs.ts";
import { readStoredNodes } from "./node-rows.ts";
import { type CutNode, findOutputs, findStoredNodes, noteAdoption } from "./stored-nodes-store.ts";

/** How often a run is taken up anew where it stands before it is given up: whatever made processes lose it would make the next. */
const mostAdoptions = 2;

/** Where a run stands; of one that is taken up anew, what is stored of it, but for outputs that are large. */
export async function resumeRun(db: Database, run: AdoptedRun, { graph, claim }: { graph: Graph; claim: Claim }) {
  const rows = run.isResumed ? await findStoredNodes(db, run) : [];
  // A node that tries again needs the items that worked in earlier attempts; large outputs of finished nodes may stay in the database.
  for (const row of rows) if (row.isCut && !isDone(row)) row.outputs = await findOutputs(db, run, row.nodeId);
  const stands = readStoredNodes(rows, graph);
  // Whoever had its claim before fell silent, or gave it back.
  const hopeless = claim.retryCount > 0 ? await findHopeless(db, run, rows) : undefined;
  return { ...stands, failure: stands.failure ?? hopeless, rows };
}

/** One by one, so that at no time more than the budget and one of them is in memory. */
export async function readOutputs(db: Database, run: AdoptedRun, { rows, settled, kept }: Reading): Promise<void> {
  for (const row of rows.filter(isDone)) {
    const text = row.isCut ? await findOutputs(db, run, row.nodeId) : row.outputs;
    const known = settled.get(row.nodeId);
    if (row.isCut && known && text !== null)
      settled.set(row.nodeId, { ...known, outputs: JSON.parse(text) as Settled["outputs"] });
    kept.add(row.nodeId, text?.length ?? 0);
  }
}

type Reading = { rows: CutNode[]; settled: Map<string, Settled>; kept: Pick<KeptOutputs, "add"> };

const isDone = ({ status }: CutNode): boolean => status === "succeeded" || status === "failed";

/** A run that the last processes took up here, and that none of them brought any further. */
async function findHopeless(db: Database, run: AdoptedRun, rows: CutNode[]) {
  const adoptions = await noteAdoption(db, run, markOf(rows));
  if (adoptions <= mostAdoptions) return undefined;
  const message = `The run was given up: ${mostAdoptions + 1} processes lost it before it got any further. It may need more memory than there is.`;
  return { nodeId: "", error: { code: "internal_error" as const, message } };
}

/** Changes with every checkpoint that a run can go on from. */
function markOf(rows: CutNode[]): string {
  const counted = rows.filter(({ status, wakeAt }) => status !== "running" || wakeAt !== null);
  const sum = (of: (row: CutNode) => number) => counted.reduce((total, row) => total + of(row), 0);
  return `${counted.filter(isDone).length}/${counted.length}/${sum(({ attempts }) => attempts)}/${sum(({ done }) => done)}`;
}
