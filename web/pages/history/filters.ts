import type { CallFilter } from "../../api/history.ts";
import type { RunFilter } from "../../api/runs.ts";

const names = ["search", "status", "server", "tool", "key", "source", "workflow", "from", "to"] as const;
export type FilterName = (typeof names)[number];
export type HistorySearch = Partial<Record<FilterName | "tab" | "record", string>>;

export function merge(before: HistorySearch, changes: HistorySearch): HistorySearch {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== ""));
}

/** What means the same on both tabs goes along to the other one. */
export const forTab = ({ search = "", key = "", from = "", to = "" }: HistorySearch, tab: string): HistorySearch =>
  merge({}, { tab, search, key, from, to });

export const countFilters = (search: HistorySearch): number => names.filter((name) => search[name]).length;

export const toCallFilter = ({ search, status, server, tool, key, source, from, to }: HistorySearch): CallFilter =>
  ofSet({ search, status, serverId: server, tool, apiKeyId: key, source, from, to });

export const toRunFilter = ({ search, status, source, workflow, key, from, to }: HistorySearch): RunFilter =>
  ofSet({ search, status, executionType: source, workflowId: workflow, apiKeyId: key, from, to });

export function withoutFilters({ tab = "", record = "" }: HistorySearch): HistorySearch {
  return merge({}, { tab, record });
}

/** So that the same choice is always the same key of a query. */
function ofSet<Name extends string>(values: Record<Name, string | undefined>): Partial<Record<Name, string>> {
  const set = Object.entries<string | undefined>(values).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set) as Partial<Record<Name, string>>;
}
