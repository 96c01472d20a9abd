import type { ToolCallEntry } from "../../../src/history/wire.ts";
import type { RunEntry } from "../../../src/runs/wire.ts";
import type { CallFilter } from "../../api/history.ts";
import type { RunFilter } from "../../api/runs.ts";

/** Whether the list of a filter has the call. Undefined where only the server knows: a text may stand in the parameters. */
export function fitsCallFilter({ search, ...filter }: CallFilter): ((call: ToolCallEntry) => boolean) | undefined {
  if (search) return undefined;
  return (call) =>
    is(filter.status, call.status) &&
    is(filter.serverId, call.serverId) &&
    is(filter.tool, call.tool) &&
    is(filter.apiKeyId, call.apiKeyId) &&
    is(filter.source, call.source) &&
    isWithin(filter, call.queuedAt);
}

export function fitsRunFilter(filter: RunFilter): (run: RunEntry) => boolean {
  const text = filter.search?.toLowerCase();
  return (run) =>
    is(filter.status, run.status) &&
    is(filter.executionType, run.executionType) &&
    is(filter.workflowId, run.workflowId) &&
    is(filter.apiKeyId, run.apiKeyId) &&
    isWithin(filter, run.createdAt) &&
    (text === undefined ||
      [run.workflowName, run.error?.message ?? ""].some((field) => field.toLowerCase().includes(text)));
}

const is = (wanted: string | undefined, actual: string | null): boolean => wanted === undefined || wanted === actual;

const isWithin = ({ from, to }: { from?: string; to?: string }, at: string): boolean =>
  (from === undefined || Date.parse(at) >= Date.parse(from)) && (to === undefined || Date.parse(at) < Date.parse(to));
