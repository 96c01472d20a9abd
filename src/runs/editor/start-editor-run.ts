import type { Clock } from "../../base/clock.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Span } from "../../base/tracing.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { TriggerData } from "../../workflows/engine-node.ts";
import { namedVariables } from "../../workflows/variables/named-variables.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import type { EditorKind } from "../accept/run-request.ts";
import { type AcceptedRun, type RunToAccept, toRow } from "../accept/start-run.ts";
import { isUsable } from "../control/keep-finished.ts";
import { type TakenOver, takeOver } from "../control/take-over-store.ts";
import type { RunNodeRow } from "../read/list-store.ts";
import type { NewRun } from "../store.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";
import { findResults, lastTrigger } from "./earlier-results.ts";
import { type EditedCanvas, readEdited, requireFaultless, requireNode } from "./edited-canvas.ts";
import { type DraftPlace, insertEditorRun, listLastRuns, lockWrites } from "./editor-store.ts";
import { fingerprintsOf } from "./fingerprints.ts";
import { refuseRepeats } from "./never-repeat.ts";
import {
  allSteps,
  cutCanvas,
  type Mode,
  type Plan,
  planSteps,
  type Result,
  type Steps,
  stepsOf,
} from "./plan-steps.ts";

type Options = {
  db: Database;
  workflows: Pick<Workflows, "drafts" | "pins" | "check" | "variables">;
  accept: (request: RunToAccept) => Promise<AcceptedRun>;
  writes: (node: GraphNode) => boolean;
  clock: Clock;
};

type Who = { user: { id: string; name: string }; requestId?: string; trace: Span };

export type EditorRequest = Who & {
  organizationId: string;
  workflowId: string;
  mode: Mode;
  /** Canvas id; with every mode but `all`. */
  nodeId?: string | undefined;
  prompt?: string | undefined;
  payload?: unknown;
  allowRepeat: boolean;
};

/** What is run again on the draft. Without nodes it begins at the start. */
export type RerunOnDraft = Who & {
  organizationId: string;
  workflowId: string;
  nodeIds: string[];
  trigger: TriggerData;
  /** Of the run. What is of no use to the draft is executed. */
  nodes: readonly RunNodeRow[];
  rerunOf: string;
  allowRepeat: boolean;
};

/** Where the outputs of each node come from: `ran`, `pinned`, or the id of a run. */
export type UsedData = { id: string; data: string }[];
export type StartedEditorRun = { id: string; createdAt: Date; nodes: UsedData };

export type StartEditorRun = ReturnType<typeof createStartEditorRun>;

/** Runs what people edit, whether it was published or not: all of it, or as little as a step needs. */
export function createStartEditorRun(options: Options) {
  const { db, workflows } = options;
  const begin = createBegin(options);

  async function prepare(place: { organizationId: string; workflowId: string }) {
    const [{ canvas, basedOn }, pins] = await Promise.all([workflows.drafts.edited(place), workflows.pins.find(place)]);
    const edited = await readEdited(canvas);
    return { edited, pins: pins.nodes, pinnedTrigger: pins.trigger, draft: { ...place, basedOn } };
  }

  return {
    async start(request: EditorRequest): Promise<StartedEditorRun> {
      const { organizationId, workflowId, mode, nodeId = "", prompt, payload } = request;
      const { edited, pins, pinnedTrigger, draft } = await prepare({ organizationId, workflowId });
      const { graph } = edited;
      if (mode !== "all") requireNode(edited, nodeId);
      const steps = mode === "all" ? allSteps(graph) : stepsOf(graph, mode, [nodeId]);
      const runs = mode === "all" ? [] : await listLastRuns(db, draft);
      const trigger = triggerOf({ prompt, payload, user: request.user }, pinnedTrigger, runs);
      const named = namedVariables(edited.canvas.nodes.map(({ parameters }) => parameters));
      const vars = await workflows.variables.valuesOf(organizationId, named);
      const fingerprints = fingerprintsOf({ graph, pins: usedPins(pins, graph, steps), trigger, vars });
      const results = await findResults(db, { organizationId, runs }, fingerprints);
      const known = { pins, results, fingerprints };
      return await begin(
        { ...request, kind: mode === "all" ? "editor" : "step", trigger },
        { draft, edited, steps },
        known,
      );
    },

    /** From some nodes of a run on, with what that run has finished before them. */
    async rerun({ nodeIds, nodes, ...request }: RerunOnDraft): Promise<StartedEditorRun> {
      const { organizationId, workflowId, trigger, rerunOf } = request;
      const { edited, pins, draft } = await prepare({ organizationId, workflowId });
      const { graph } = edited;
      for (const nodeId of nodeIds) requireNode(edited, nodeId);
      const steps = nodeIds.length === 0 ? allSteps(graph) : stepsOf(graph, "fromHere", nodeIds);
      const usable = nodes.filter((node) => isUsable(node, graph));
      const results = new Map(usable.map(({ nodeId }) => [nodeId, { runId: rerunOf, executedIn: rerunOf }]));
      const known = { pins, results, fingerprints: new Map<string, string>() };
      return await begin({ ...request, kind: "editor", trigger }, { draft, edited, steps }, known);
    },
  };
}

/** What is given; where nothing is, what is pinned, and without that what the last run of the draft began with. */
function triggerOf(
  { prompt, payload, user }: Pick<EditorRequest, "prompt" | "payload" | "user">,
  pinned: TriggerData | undefined,
  runs: Parameters<typeof lastTrigger>[0],
): TriggerData {
  const before = lastTrigger(runs);
  const manual = { source: "manual", sender: user };
  if (prompt === undefined && payload === undefined) return pinned ?? { ...manual, ...before };
  return { ...manual, prompt: prompt ?? before.prompt, payload: payload === undefined ? before.payload : payload };
}

/** A node that was chosen is executed, whatever is pinned to it, and one that is disabled lets its items pass. */
const usedPins = (pins: ReadonlyMap<string, string>, graph: Graph, { chosen }: Steps): Map<string, string> =>
  new Map([...pins].filter(([id]) => !chosen.has(id) && graph.get(id)?.settings.disabled !== true));

type ToBegin = Who & {
  organizationId: string;
  workflowId: string;
  kind: EditorKind;
  trigger: TriggerData;
  allowRepeat: boolean;
  rerunOf?: string;
};
type Edited = { draft: DraftPlace; edited: EditedCanvas; steps: Steps };
type Known = {
  pins: ReadonlyMap<string, string>;
  results: ReadonlyMap<string, Result>;
  fingerprints: ReadonlyMap<string, string>;
};

function createBegin({ db, workflows, accept, writes, clock }: Options) {
  return async (request: ToBegin, { draft, edited, steps }: Edited, known: Known): Promise<StartedEditorRun> => {
    const { organizationId, workflowId, allowRepeat, rerunOf = null } = request;
    const { graph } = edited;
    const plan = planSteps(graph, steps, { pinned: new Set(known.pins.keys()), results: known.results });
    requireFaultless(edited, plan, (await workflows.check(organizationId, edited.sent)).faults);
    if (plan.executed.size === 0 && plan.taken.size === 0)
      throw new Refusal("workflow_inactive", "This workflow has no nodes yet.");
    const canvas = cutCanvas(edited.canvas, graph, plan);
    const executed = [...plan.executed].flatMap((id) => graph.get(id) ?? []);
    const written = executed.filter((node) => !node.settings.disabled && writes(node)).map(({ id }) => id);
    const repeats = { draft, canvas, writes: written };
    // Most refusals are told here already: those of a transaction hold up what shares it.
    if (!allowRepeat) await refuseRepeats(onPool(db), repeats);
    const queuedAt = clock.now();
    const row: NewRun = { ...toRow(request, queuedAt), workflowId, workflowVersion: 0, rerunOf };
    const taken = takenOver(plan, edited, known.pins);
    const alsoInsert = async (sql: Sql): Promise<void> => {
      await lockWrites(sql, draft);
      if (!allowRepeat) await refuseRepeats(sql, repeats);
      await insertEditorRun(sql, {
        ...draft,
        runId: row.id,
        canvas: JSON.stringify(canvas),
        fingerprints: JSON.stringify(Object.fromEntries(known.fingerprints)),
        writes: written,
        takenRuns: [...taken.finished.keys()],
      });
      await takeOver(sql, { organizationId, runId: row.id, at: queuedAt }, taken);
    };
    const { id } = await accept({ row, once: undefined, alsoInsert });
    return {
      id,
      createdAt: queuedAt,
      nodes: canvas.nodes.map((node) => ({ id: node.id, data: describeData(plan, node.id) })),
    };
  };
}

function describeData({ taken }: Plan, id: string): string {
  const origin = taken.get(id) ?? "ran";
  return typeof origin === "string" ? origin : origin.executedIn;
}

function takenOver({ taken }: Plan, { graph }: EditedCanvas, pins: ReadonlyMap<string, string>): TakenOver {
  const finished = new Map<string, string[]>();
  const pinned: TakenOver["pinned"][number][] = [];
  for (const [nodeId, origin] of taken)
    if (origin === "pinned")
      pinned.push({ nodeId, nodeType: graph.get(nodeId)?.type ?? "", outputs: pins.get(nodeId) ?? "{}" });
    else finished.set(origin.runId, [...(finished.get(origin.runId) ?? []), nodeId]);
  return { finished, pinned, reused: [] };
}
