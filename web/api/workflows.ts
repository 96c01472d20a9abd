import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { RunEntry } from "../../src/runs/wire.ts";
import type { Comparison } from "../../src/workflows/comparison-wire.ts";
import type { WorkflowFile } from "../../src/workflows/file-wire.ts";
import type { FoundWorkflow } from "../../src/workflows/find-wire.ts";
import type { BulkRequest, BulkResult, WorkflowLabels } from "../../src/workflows/label-wire.ts";
import type { N8nConversion } from "../../src/workflows/translation-wire.ts";
import type {
  checkResult,
  Publication,
  SavedWorkflow,
  VersionEntry,
  Workflow,
  WorkflowChange,
  WorkflowDraft,
  WorkflowSummary,
  WorkflowVersion,
} from "../../src/workflows/wire.ts";
import { get, type List, patch, path, post, query, remove } from "../request.ts";

type WorkflowPage = List<WorkflowSummary> & { total: number };

const base = (organizationId: string) => path`/api/organizations/${organizationId}/workflows`;
const one = (organizationId: string, workflowId: string) => base(organizationId) + path`/${workflowId}`;
const pageLength = 50;

export const workflowsKey = (organizationId: string) => ["organizations", organizationId, "workflows"] as const;

/** What of the list is shown; empty where it does not matter. */
export type Narrowed = { search: string; folder: string; tag: string };

/** The folders and tags that workflows have. */
export const workflowLabelsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "labels"],
    queryFn: () => get<WorkflowLabels>(path`/api/organizations/${organizationId}/workflow-labels`),
  });

/** Names that have all words of a text. */
export const workflowNamesQuery = (organizationId: string, search: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "names", search],
    queryFn: async () =>
      (await get<List<FoundWorkflow>>(path`/api/organizations/${organizationId}/workflow-names` + query({ search })))
        .data,
  });

export const changeWorkflows = (organizationId: string, request: BulkRequest) =>
  post<BulkResult>(`${base(organizationId)}/bulk`, request);

/** A page after the other, newest change first; each tells how many there are in all. */
export const workflowsQuery = (organizationId: string, narrowed: Narrowed) =>
  infiniteQueryOptions({
    queryKey: [...workflowsKey(organizationId), "list", narrowed],
    queryFn: ({ pageParam }) =>
      get<WorkflowPage>(base(organizationId) + query({ ...narrowed, offset: pageParam, limit: pageLength })),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * pageLength < total ? pages.length * pageLength : undefined),
  });

/** All of them, to choose one. */
export const allWorkflowsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "all"],
    queryFn: async () => {
      const all: WorkflowSummary[] = [];
      for (let total = 1; all.length < total; ) {
        const page = await get<WorkflowPage>(base(organizationId) + query({ offset: all.length, limit: 100 }));
        all.push(...page.data);
        total = page.data.length === 0 ? 0 : page.total;
      }
      return all;
    },
  });

export const workflowQuery = (organizationId: string, workflowId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "one", workflowId],
    queryFn: () => get<Workflow>(one(organizationId, workflowId)),
  });

/** A version of the canvas never changes. */
export const workflowVersionQuery = (organizationId: string, workflowId: string, version: number) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "version", workflowId, version],
    queryFn: () => get<WorkflowVersion>(one(organizationId, workflowId) + path`/versions/${String(version)}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A page after the other, newest first. */
export const versionsQuery = (organizationId: string, workflowId: string) =>
  infiniteQueryOptions({
    queryKey: [...workflowsKey(organizationId), "versions", workflowId],
    queryFn: ({ pageParam }) =>
      get<List<VersionEntry> & { total: number }>(
        `${one(organizationId, workflowId)}/versions${query({ offset: pageParam, limit: pageLength })}`,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * pageLength < total ? pages.length * pageLength : undefined),
  });

/** Of a workflow that has one; asked for when it is opened, and then kept by the editor. */
export const draftQuery = (organizationId: string, workflowId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "draft", workflowId],
    queryFn: () => get<WorkflowDraft>(`${one(organizationId, workflowId)}/draft`),
    staleTime: 0,
  });

/** What of a workflow is edited: its draft, or what is published. */
export const editedCanvasQuery = (organizationId: string, workflowId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "edited", workflowId],
    queryFn: async () => {
      const { draft, canvas } = await get<Workflow>(one(organizationId, workflowId));
      return draft ? (await get<WorkflowDraft>(`${one(organizationId, workflowId)}/draft`)).canvas : canvas;
    },
    staleTime: 0,
  });

type Place = { organizationId: string; workflowId: string };

/** Keeps a canvas beside what is published, whatever its faults. */
export const saveDraft = ({ organizationId, workflowId }: Place, body: WorkflowChange) =>
  changeWorkflow(organizationId, workflowId, { ...body, publish: false });

export const publishDraft = (organizationId: string, workflowId: string, body: Publication) =>
  post<SavedWorkflow>(`${one(organizationId, workflowId)}/publish`, body);

export const discardDraft = (organizationId: string, workflowId: string, expectedDraft: number | undefined) =>
  remove(`${one(organizationId, workflowId)}/draft${query({ expectedDraft })}`);

/** A published version by its number, or the draft. */
export type Side = number | "draft";

/** What has to be done to one canvas to get the other. It changes with the draft only; version 0 is nothing. */
export const comparisonQuery = (organizationId: string, { id, draft }: Workflow, [from, to]: [from: Side, to: Side]) =>
  queryOptions({
    queryKey: [
      ...workflowsKey(organizationId),
      "comparison",
      id,
      from,
      to,
      from === "draft" || to === "draft" ? (draft?.revision ?? 0) : 0,
    ],
    queryFn: () => get<Comparison>(one(organizationId, id) + path`/versions/${sideName(from)}/compare/${sideName(to)}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Nothing published yet has no number: what runs is an empty canvas. */
const sideName = (side: Side) => (side === 0 ? "published" : String(side));

/** The canvas of a version, which never changes, or of the draft. */
export const sideCanvasQuery = (organizationId: string, { id, draft }: Workflow, side: Side) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "canvas", id, side, side === "draft" ? (draft?.revision ?? 0) : 0],
    queryFn: async (): Promise<Workflow["canvas"]> => {
      if (side === 0) return { nodes: [], edges: [] };
      const place = side === "draft" ? "/draft" : path`/versions/${String(side)}`;
      return (await get<WorkflowVersion | WorkflowDraft>(one(organizationId, id) + place)).canvas;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What publishing a revision of the draft would change. */
export const draftChangesQuery = (organizationId: string, workflow: Workflow) => ({
  ...comparisonQuery(organizationId, workflow, [workflow.version, "draft"]),
  enabled: workflow.draft !== null,
});

export const restoreVersion = (organizationId: string, workflowId: string, version: number) =>
  post<SavedWorkflow>(one(organizationId, workflowId) + path`/versions/${String(version)}/restore`);

export const checkCanvas = (organizationId: string, canvas: Workflow["canvas"]) =>
  post<z.infer<typeof checkResult>>(`${base(organizationId)}/check`, { canvas });

type NewWorkflow = Pick<Workflow, "name" | "canvas"> & Partial<Pick<Workflow, "description" | "errorWorkflow">>;

/** As a draft, which is off until somebody publishes it. */
export const createWorkflow = (organizationId: string, body: NewWorkflow) =>
  post<SavedWorkflow>(base(organizationId), { ...body, publish: false });

/** The file as it was read, as a draft: the server tells what is wrong with it. */
export const importWorkflow = (organizationId: string, file: WorkflowFile | Record<string, unknown>) =>
  post<SavedWorkflow>(`${base(organizationId)}/import`, { ...file, publish: false });

/** What a file of n8n becomes here, and a report on it. Nothing is saved. */
export const translateN8n = (organizationId: string, file: Record<string, unknown> | unknown[]) =>
  post<N8nConversion>(`${base(organizationId)}/import/n8n`, { file });

export const changeWorkflow = (organizationId: string, workflowId: string, body: WorkflowChange) =>
  patch<SavedWorkflow>(one(organizationId, workflowId), body);

/** As a draft of what is edited, which is off until somebody publishes it. */
export const duplicateWorkflow = (organizationId: string, workflowId: string) =>
  post<SavedWorkflow>(`${one(organizationId, workflowId)}/duplicate`, { publish: false });

export const deleteWorkflow = (organizationId: string, workflowId: string) => remove(one(organizationId, workflowId));

/** Where a browser downloads the workflow as a file from. `draft`: as it is edited, not as it runs. */
export const workflowFileAddress = (organizationId: string, workflowId: string, draft = false) =>
  `${one(organizationId, workflowId)}/file${draft ? "?draft=true" : ""}`;

/** Puts a run that was just announced into the lists, so that nothing has to be asked for again. */
export function noteRun(queryClient: QueryClient, organizationId: string, run: RunEntry): void {
  const { id, status, createdAt, completedAt } = run;
  const isPublished = run.workflowVersion > 0;
  const isConcerned = (workflow: WorkflowSummary) =>
    isPublished && workflow.id === run.workflowId && !(workflow.lastRun && workflow.lastRun.createdAt > createdAt);
  const note = (workflow: WorkflowSummary): WorkflowSummary =>
    isConcerned(workflow) ? { ...workflow, lastRun: { id, status, createdAt, completedAt } } : workflow;

  queryClient.setQueriesData<{ pages: WorkflowPage[]; pageParams: unknown[] }>(
    { queryKey: [...workflowsKey(organizationId), "list"] },
    (list) =>
      list?.pages.some(({ data }) => data.some(isConcerned))
        ? { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(note) })) }
        : undefined,
  );
}
