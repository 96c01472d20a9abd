import type { Clock } from "../../base/clock.ts";
import { Refusal, type RefusalCode } from "../../base/refusal.ts";
import type { Span } from "../../base/tracing.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { TriggerData } from "../../workflows/engine-node.ts";
import type { NodeOverride } from "../../workflows/wire.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import type { CheckOverrides } from "../accept/check-overrides.ts";
import { requireRunnable } from "../accept/require-runnable.ts";
import { isOfEditor } from "../accept/run-request.ts";
import { type AcceptedRun, type RunToAccept, toRow } from "../accept/start-run.ts";
import { copyEditorRun } from "../editor/copy-editor-run.ts";
import type { StartEditorRun } from "../editor/start-editor-run.ts";
import type { WholeRunRow } from "../read/list-store.ts";
import type { FoundRun } from "../read/read-run.ts";
import type { RunList } from "../read/run-list.ts";
import type { NewRun, RunPlace } from "../store.ts";
import type { FindGraph } from "../walk/find-graph.ts";
import type { Graph } from "../walk/graph.ts";
import { getsNothing, type Settled, toRootItem } from "../walk/incoming.ts";
import { type ReusedNode, reuseItems } from "../walk/reuse-items.ts";
import { keepFinished } from "./keep-finished.ts";
import { takeOver } from "./take-over-store.ts";

type Options = {
  db: Database;
  workflows: Pick<Workflows, "find">;
  list: Pick<RunList, "readFirstItems" | "readWhole">;
  findGraph: FindGraph;
  accept: (request: RunToAccept) => Promise<AcceptedRun>;
  checkOverrides: CheckOverrides;
  rerunOnDraft: StartEditorRun["rerun"];
  clock: Clock;
};

type RerunRequest = {
  organizationId: string;
  runId: string;
  /** What the run had, the published version of now, or the draft. */
  version: "same" | "current" | "draft";
  from: Beginning;
  /** What shall be otherwise than in the run before. */
  prompt?: string | undefined;
  payload?: unknown;
  overrides?: NodeOverride[] | undefined;
  /** Whether nodes of a draft may change something outside once more. */
  allowRepeat: boolean;
  user: { id: string; name: string };
  trace: Span;
};

type Beginning = "start" | "failure" | { nodeId: string };

/** Runs again what a run did: all of it, or from the node that failed or a chosen one, with what was finished beside it and those items of what failed that worked. */
export function createRerun(options: Options) {
  const { list, accept, checkOverrides, clock } = options;
  const chooseVersion = createChooseVersion(options);
  const prepareInsert = createPrepareInsert(options);

  async function onDraft(asked: RerunRequest, before: FoundRun) {
    const { organizationId, runId, from, user, trace, allowRepeat } = asked;
    const { row, nodes } = before;
    if (from !== "start") requireEnded(row);
    const failed = nodes.filter(({ status }) => status === "failed").map(({ nodeId }) => nodeId);
    if (from === "failure" && failed.length === 0)
      throw new Refusal(
        "validation_failed",
        "No node of this run failed. Say which node to begin with, or begin at the start.",
      );
    const { id, createdAt } = await options.rerunOnDraft({
      organizationId,
      workflowId: row.workflowId,
      nodeIds: from === "start" ? [] : from === "failure" ? failed : [from.nodeId],
      trigger: editTrigger(JSON.parse(row.triggerData) as TriggerData, asked),
      nodes,
      rerunOf: runId,
      allowRepeat,
      user,
      trace,
    });
    return { id, createdAt, workflowId: row.workflowId };
  }

  return async (asked: RerunRequest): Promise<{ id: string; createdAt: Date; workflowId: string }> => {
    const { organizationId, runId, from, prompt, payload, user, trace } = asked;
    const before = await list.readFirstItems(organizationId, runId);
    if (asked.version === "draft") return await onDraft(asked, before);
    const { workflowId } = before.row;
    const { version, graph } = await chooseVersion(asked, before);
    const overrides = asked.overrides ?? inheritOverrides(before.row, graph);
    await checkOverrides(organizationId, graph, overrides);
    const trigger = JSON.parse(before.row.triggerData) as TriggerData;
    const edited = editTrigger(trigger, asked);
    const isUnchanged =
      version === before.row.workflowVersion && [prompt, payload, asked.overrides].every((one) => one === undefined);
    const reusable =
      from === "start"
        ? takenAtStart(before, version)
        : findReused(usableFor(before, version), graph, { from, trigger: edited, isUnchanged });
    const queuedAt = clock.now();
    const kind = version === 0 ? before.row.kind : "manual";
    const asNew = toRow({ organizationId, kind, trigger: edited, overrides, user, trace }, queuedAt);
    const row = { ...asNew, workflowId, workflowVersion: version, rerunOf: runId };
    const takenBefore = before.nodes.filter(({ takenFrom }) => takenFrom !== null).map(({ nodeId }) => nodeId);
    const alsoInsert = await prepareInsert(asked, row, { ...reusable, takenBefore, isUnchanged });
    const { id } = await accept({ row, once: undefined, alsoInsert });
    return { id, createdAt: queuedAt, workflowId };
  };
}

type Prepared = Reusable & { takenBefore: string[]; isUnchanged: boolean };

/** Gives the new run what it does not do anew, and one of the editor its canvas. */
function createPrepareInsert({ db, list }: Pick<Options, "db" | "list">) {
  async function readWorked({ organizationId, id }: RunPlace, nodeIds: string[]): Promise<ReusedNode[]> {
    const found: ReusedNode[] = [];
    for (const nodeId of nodeIds) {
      const { node } = await list.readWhole(organizationId, id, nodeId);
      const reused = node && reuseItems(node);
      if (reused) found.push(reused);
    }
    return found;
  }

  return async (
    { organizationId, runId: from, allowRepeat }: RerunRequest,
    { id: runId, kind, queuedAt: at }: NewRun,
    { finished, failed, takenBefore, isUnchanged }: Prepared,
  ): Promise<(sql: Sql) => Promise<void>> => {
    const place = { organizationId, id: from };
    const taken = {
      finished: new Map(finished.length > 0 ? [[from, finished]] : []),
      pinned: [],
      reused: await readWorked(place, failed),
    };
    const copy = { runId, taken: new Set(finished), takenBefore, isUnchanged, allowRepeat };
    const insertCanvas = isOfEditor(kind) ? await copyEditorRun(db, place, copy) : undefined;
    return async (sql) => {
      await insertCanvas?.(sql);
      await takeOver(sql, { organizationId, runId, at }, taken);
    };
  };
}

/** What was pinned is made up: a published version never goes on from it. */
const usableFor = ({ nodes, ...run }: FoundRun, version: number): FoundRun => ({
  ...run,
  nodes: version === 0 ? nodes : nodes.filter(({ takenFrom }) => takenFrom !== "pinned"),
});

/** At its start nothing is reused, but what a run of the editor took over itself. */
const takenAtStart = ({ nodes }: FoundRun, version: number): Reusable => ({
  finished: nodes.filter(({ takenFrom }) => version === 0 && takenFrom !== null).map(({ nodeId }) => nodeId),
  failed: [],
});

const editTrigger = (trigger: TriggerData, { prompt, payload }: RerunRequest): TriggerData => ({
  ...trigger,
  ...(prompt === undefined ? {} : { prompt }),
  ...(payload === undefined ? {} : { payload }),
});

function createChooseVersion({ workflows, findGraph }: Pick<Options, "workflows" | "findGraph">) {
  return async (
    { organizationId, version }: RerunRequest,
    { row, graph }: FoundRun,
  ): Promise<{ version: number; graph: Graph }> => {
    const workflow = await workflows.find(organizationId, row.workflowId);
    if (!workflow) throw new Refusal("workflow_not_found", "The workflow of this run was deleted.");
    // What people edit runs in the editor, whether it is turned on or not.
    if (version === "current" || row.workflowVersion > 0) requireRunnable(workflow);
    if (version === "same") {
      if (graph.size === 0) throw new Refusal("workflow_not_found", goneWords(row));
      return { version: row.workflowVersion, graph };
    }
    const current = await findGraph(organizationId, workflow.id, workflow.version);
    if (current.size === 0) throw new Refusal("workflow_inactive", "This workflow has no nodes yet.");
    return { version: workflow.version, graph: current };
  };
}

const goneWords = ({ workflowVersion }: WholeRunRow): string =>
  `Version ${workflowVersion} of the workflow is gone. Run it again on the current version.`;

/** Of the run before, for nodes that there still are. */
const inheritOverrides = ({ overrides }: WholeRunRow, graph: Graph): NodeOverride[] =>
  (JSON.parse(overrides ?? "[]") as NodeOverride[]).filter(({ id }) => graph.has(id));

/** `isUnchanged`: all is as in the run before, so that the rest of a node's items is not done in another way than those that worked. */
type RerunContext = { from: Exclude<Beginning, "start">; trigger: TriggerData; isUnchanged: boolean };

/** `failed` are those that go on with the items that worked: they get what they got before. */
type Reusable = { finished: string[]; failed: string[] };

function requireEnded({ status }: WholeRunRow): void {
  if (status === "pending" || status === "running" || status === "waiting")
    throw new Refusal("run_not_finished", "This run has not ended yet.");
}

/** Nodes whose results the new run takes over. */
function findReused(
  { row, nodes: rows }: FoundRun,
  graph: Graph,
  { from, trigger, isUnchanged }: RerunContext,
): Reusable {
  requireEnded(row);
  const root = toRootItem(trigger.payload);
  const failed = new Set(rows.filter(({ status }) => status === "failed").map(({ nodeId }) => nodeId));
  const beginsAt = from === "failure" ? (id: string) => failed.has(id) : (id: string) => id === from.nodeId;
  const kept = keepFinished({ graph, rows, root, beginsAt });
  if (from !== "failure") requireInput(graph, from.nodeId, kept);
  // Whatever comes before it: nobody asked for what was pinned to be executed.
  const pinned = rows.filter(({ nodeId, takenFrom }) => takenFrom === "pinned" && !beginsAt(nodeId));
  const finished = [...kept].filter(([, { passesOn }]) => !passesOn).map(([id]) => id);
  const getsTheSame = (id: string) => graph.get(id)?.incoming.every(({ source }) => kept.has(source)) === true;
  return {
    finished: [...new Set([...finished, ...pinned.map(({ nodeId }) => nodeId)])],
    failed: from === "failure" && isUnchanged ? [...failed].filter(getsTheSame) : [],
  };
}

/** A node can only be begun with when it gets what it would have got. */
function requireInput(graph: Graph, nodeId: string, kept: ReadonlyMap<string, Settled>): void {
  const node = graph.get(nodeId);
  if (!node) throw refuseNode("unknown_node", "is no node of this version of the workflow");
  const missing = new Set(node.incoming.map(({ source }) => source).filter((source) => !kept.has(source)));
  if (missing.size > 0)
    throw refuseNode("validation_failed", `comes after ${[...missing].join(", ")}, of which this run has no outputs`);
  if (getsNothing(node, kept)) throw refuseNode("validation_failed", "got no items in this run");
}

const refuseNode = (code: RefusalCode, detail: string): Refusal =>
  new Refusal(code, `nodeId ${detail}.`, { errors: [{ pointer: "/nodeId", detail }] });
