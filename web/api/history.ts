import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ReplayRequest } from "../../src/calls/wire.ts";
import type { ToolCall, ToolCallList } from "../../src/history/wire.ts";
import { get, getText, path, post, query } from "../request.ts";

/** As the address of the page has it: the server judges the values. */
export type CallFilter = Partial<
  Record<"search" | "status" | "serverId" | "tool" | "apiKeyId" | "source" | "from" | "to", string>
>;

const base = (organizationId: string) => path`/api/organizations/${organizationId}/tool-calls`;
const one = (organizationId: string, recordId: string) => base(organizationId) + path`/${recordId}`;

/** Newest first, one page after the other. */
export const callsQuery = (organizationId: string, filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: ["organizations", organizationId, "history", "calls", filter],
    queryFn: ({ pageParam }) => get<ToolCallList>(base(organizationId) + query({ ...filter, cursor: pageParam })),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The last few, for a glance. */
export const recentCallsQuery = (organizationId: string, filter: CallFilter & { limit: number }) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "history", "recent", filter],
    queryFn: async () => (await get<ToolCallList>(base(organizationId) + query(filter))).data,
  });

/** With everything that was sent and answered. */
export const callQuery = (organizationId: string, recordId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "history", "call", recordId],
    queryFn: () => get<ToolCall>(one(organizationId, recordId)),
    // A call that is over never changes.
    staleTime: ({ state }) => (state.data?.completedAt ? Number.POSITIVE_INFINITY : 0),
  });

export const callCopyQuery = (organizationId: string, recordId: string, as: "curl" | "mcp") =>
  queryOptions({
    queryKey: ["organizations", organizationId, "history", "copy", recordId, as],
    queryFn: () => getText(`${one(organizationId, recordId)}/copy${query({ as })}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const replayCall = (organizationId: string, recordId: string, body: ReplayRequest) =>
  post<ToolCall>(`${one(organizationId, recordId)}/replay`, body);

/** Where a browser downloads all calls of a filter from, as JSON lines. */
export const callExportAddress = (organizationId: string, filter: CallFilter) =>
  `${base(organizationId)}/export${query(filter)}`;
