import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { toStorableText } from "../../base/json.ts";
import { Refusal } from "../../base/refusal.ts";
import { toStorableLine } from "../../records/payload.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import { insertFiles } from "../read/file-store.ts";
import type { NewRun, RunPlace } from "../store.ts";
import type { FindGraph } from "../walk/find-graph.ts";
import type { AcceptedRun, createFindReplay, RunToAccept } from "./accept-runs.ts";
import type { CheckOverrides } from "./check-overrides.ts";
import { requirePublished, requireRunnable } from "./require-runnable.ts";
import type { RunRequest } from "./run-request.ts";

/** Durable once it returns. `isReplay`: the run was there already, by `once`. */
export type StartRun = (request: RunRequest) => Promise<{ id: string; createdAt: Date; isReplay: boolean }>;

type Options = {
  workflows: Pick<Workflows, "find">;
  findGraph: FindGraph;
  checkOverrides: CheckOverrides;
  accept: (request: RunToAccept) => Promise<AcceptedRun>;
  findReplay: ReturnType<typeof createFindReplay>;
  clock: Clock;
};

type OverridesToCheck = Required<Pick<RunRequest, "organizationId" | "workflowId" | "overrides">>;

const nameLimit = 200;

/** Refuses what does not fit before anything is stored; what is accepted is in the database, with its place in the queue. */
export function createStartRun({ workflows, findGraph, checkOverrides, accept, findReplay, clock }: Options) {
  const start: StartRun = async (request) => {
    const { organizationId, workflowId, overrides = [], once } = request;
    const replay = once && (await findReplay(organizationId, once));
    if (replay) return replay;
    const workflow = await workflows.find(organizationId, workflowId);
    if (!workflow) throw new Refusal("workflow_not_found", "There is no such workflow.");
    requireRunnable(workflow);
    const graph = await findGraph(organizationId, workflow.id, workflow.version);
    if (graph.size === 0) throw new Refusal("workflow_inactive", "This workflow has no nodes yet.");
    if (overrides.length > 0) await checkOverrides(organizationId, graph, overrides);
    const queuedAt = clock.now();
    const row = { ...toRow(request, queuedAt), workflowId: workflow.id, workflowVersion: workflow.version };
    return await accept({ row, once, evenIfOff: request.evenIfOff, alsoInsert: insertWith(request, row) });
  };

  return {
    start,

    /** Refuses overrides that a run of the workflow, as it is now, would be refused with. */
    async checkOverrides({ organizationId, workflowId, overrides }: OverridesToCheck): Promise<void> {
      const workflow = await workflows.find(organizationId, workflowId);
      if (!workflow) throw new Refusal("workflow_not_found", "There is no such workflow.");
      // A draft may get triggers before it is published; what they change of its nodes is for those that are.
      if (workflow.version === 0 && overrides.length === 0) return;
      requirePublished(workflow);
      await checkOverrides(organizationId, await findGraph(organizationId, workflow.id, workflow.version), overrides);
    },
  };
}

/** Stores the files of a run beside its row: rows are written in batches that runs share, which stay small without them. */
function insertWith({ files = [], alsoInsert }: RunRequest, place: RunPlace): RunToAccept["alsoInsert"] {
  if (files.length === 0) return alsoInsert;
  const { text } = toStorableText(files);
  return async (sql) => {
    await insertFiles(sql, place, text);
    await alsoInsert?.(sql);
  };
}

/** How a run is stored before anything has happened to it. */
export function toRow(
  request: Omit<RunRequest, "workflowId">,
  queuedAt: Date,
): Omit<NewRun, "workflowId" | "workflowVersion"> {
  const { overrides = [], apiKey, user, oauthClient, trace, parent } = request;
  return {
    organizationId: request.organizationId,
    id: request.id ?? newId(),
    kind: request.kind,
    queuedAt,
    triggerId: request.triggerId ?? null,
    triggerData: toStorableText(request.trigger).text,
    overrides: overrides.length > 0 ? toStorableText(overrides).text : null,
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: line(apiKey?.name),
    userId: user?.id ?? null,
    userName: line(user?.name),
    oauthClientId: line(oauthClient?.id),
    oauthClientName: line(oauthClient?.name),
    requestId: line(request.requestId),
    traceId: trace.traceId,
    traceParent: trace.toTraceParent(),
    rerunOf: null,
    parentRunId: parent?.runId ?? null,
    depth: parent ? parent.depth + 1 : 0,
  };
}

/** A name as it is stored: on one line, and not too long. */
const line = (text: string | undefined): string | null => (text === undefined ? null : toStorableLine(text, nameLimit));
