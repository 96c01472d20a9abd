import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { RunEntry } from "../../src/runs/wire.ts";
import type { WorkflowFile } from "../../src/workflows/file-wire.ts";
import type { BulkRequest, BulkResult, WorkflowLabels } from "../../src/workflows/label-wire.ts";
import type {
  Comparison,
  checkResult,
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

/** What publishing a revision of the draft would change. */
export const draftChangesQuery = (organizationId: string, { id, version, draft }: Workflow) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "draft-changes", id, version, draft?.revision ?? 0],
    queryFn: () => get<Comparison>(`${one(organizationId, id)}/versions/published/compare/draft`),
    enabled: draft !== null,
  });

/** `expectedVersion`: the published one, where it is another than the draft was made on. */
export const publishDraft = (organizationId: string, { id, draft }: Workflow, expectedVersion?: number) =>
  post<SavedWorkflow>(`${one(organizationId, id)}/publish`, { expectedVersion, expectedDraft: draft?.revision });

export const discardDraft = (organizationId: string, { id, draft }: Workflow) =>
  remove(`${one(organizationId, id)}/draft${query({ expectedDraft: draft?.revision })}`);

/** What was done to the canvas between two of its versions. */
export const comparisonQuery = (
  organizationId: string,
  workflowId: string,
  { from, to }: { from: number; to: number },
) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "comparison", workflowId, from, to],
    queryFn: () =>
      get<Comparison>(one(organizationId, workflowId) + path`/versions/${String(from)}/compare/${String(to)}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const restoreVersion = (organizationId: string, workflowId: string, version: number) =>
  post<SavedWorkflow>(one(organizationId, workflowId) + path`/versions/${String(version)}/restore`);

export const checkCanvas = (organizationId: string, canvas: Workflow["canvas"]) =>
  post<z.infer<typeof checkResult>>(`${base(organizationId)}/check`, { canvas });

export const createWorkflow = (organizationId: string, body: { name: string; canvas: Workflow["canvas"] }) =>
  post<SavedWorkflow>(base(organizationId), body);

/** The file as it was read: the server tells what is wrong with it. */
export const importWorkflow = (organizationId: string, file: WorkflowFile | Record<string, unknown>) =>
  post<SavedWorkflow>(`${base(organizationId)}/import`, file);

export const changeWorkflow = (organizationId: string, workflowId: string, body: WorkflowChange) =>
  patch<SavedWorkflow>(one(organizationId, workflowId), body);

export const duplicateWorkflow = (organizationId: string, workflowId: string) =>
  post<SavedWorkflow>(`${one(organizationId, workflowId)}/duplicate`);

export const deleteWorkflow = (organizationId: string, workflowId: string) => remove(one(organizationId, workflowId));

/** Where a browser downloads the workflow as a file from. */
export const workflowFileAddress = (organizationId: string, workflowId: string) =>
  `${one(organizationId, workflowId)}/file`;

/** Puts a run that was just announced into the lists, so that nothing has to be asked for again. */
export function noteRun(queryClient: QueryClient, organizationId: string, run: RunEntry): void {
  const { id, status, createdAt, completedAt } = run;
  const isConcerned = (workflow: WorkflowSummary) =>
    workflow.id === run.workflowId && !(workflow.lastRun && workflow.lastRun.createdAt > createdAt);
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
