import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { acceptedRun, Run, RunEntry, rerunBody } from "../../src/runs/wire.ts";
import { get, type List, path, post, query } from "../request.ts";

/** As the address of the page has it: the server judges the values. */
export type RunFilter = Partial<
  Record<"search" | "status" | "executionType" | "workflowId" | "apiKeyId" | "from" | "to", string>
>;

export type AcceptedRun = z.infer<typeof acceptedRun>;
export type Rerun = NonNullable<z.input<typeof rerunBody>>;
type RunPage = List<RunEntry> & { nextCursor: string | null; searchedBackTo: string | null };

const base = (organizationId: string) => path`/api/organizations/${organizationId}/runs`;
const one = (organizationId: string, runId: string) => base(organizationId) + path`/${runId}`;

export const runsKey = (organizationId: string) => ["organizations", organizationId, "runs"] as const;

/** Newest first, one page after the other. */
export const runsQuery = (organizationId: string, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: [...runsKey(organizationId), "list", filter],
    queryFn: ({ pageParam }) => get<RunPage>(base(organizationId) + query({ ...filter, cursor: pageParam })),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The last few, for a glance. */
export const recentRunsQuery = (organizationId: string, limit: number) =>
  queryOptions({
    queryKey: [...runsKey(organizationId), "recent", limit],
    queryFn: async () => (await get<RunPage>(base(organizationId) + query({ limit }))).data,
  });

/** A few that have a text in the name of their workflow or in their error. */
export const findRunsQuery = (organizationId: string, search: string) =>
  queryOptions({
    queryKey: [...runsKey(organizationId), "found", search],
    queryFn: async () => (await get<RunPage>(base(organizationId) + query({ search, limit: 10 }))).data,
  });

/** With every node. */
export const runQuery = (organizationId: string, runId: string) =>
  queryOptions({
    queryKey: [...runsKey(organizationId), "one", runId],
    queryFn: () => get<Run>(one(organizationId, runId)),
    staleTime: ({ state }) => (state.data?.completedAt ? Number.POSITIVE_INFINITY : 0),
  });

/** The runs of other workflows that the nodes of a run started. */
export const calledRunsQuery = (organizationId: string, { id, completedAt }: RunEntry) =>
  queryOptions({
    queryKey: [...runsKey(organizationId), "called", id, completedAt],
    queryFn: async () => (await get<RunPage>(base(organizationId) + query({ parentRunId: id, limit: 200 }))).data,
  });

export const cancelRun = (organizationId: string, runId: string) => post<Run>(`${one(organizationId, runId)}/cancel`);

export const rerunRun = (organizationId: string, runId: string, body: Rerun) =>
  post<AcceptedRun>(`${one(organizationId, runId)}/rerun`, body);

export const isOver = ({ status }: Pick<RunEntry, "status">): boolean =>
  ["succeeded", "failed", "cancelled"].includes(status);
