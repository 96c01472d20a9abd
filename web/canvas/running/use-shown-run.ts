import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { isOver, runQuery } from "../../api/runs.ts";
import { type LiveEvent, useLive } from "../../live.ts";

/** The run of the address, kept up to date while it goes on: by what the server tells, and by asking now and then. */
export function useShownRun(organizationId: string, runId: string | undefined): Run | undefined {
  const queryClient = useQueryClient();
  const query = runQuery(organizationId, runId ?? "");
  const { data } = useQuery({
    ...query,
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : safetyMs),
  });
  const refresh = useThrottled(
    () => void queryClient.invalidateQueries({ queryKey: query.queryKey }, { cancelRefetch: false }),
    mostOftenMs,
  );
  useLive(organizationId, (event: LiveEvent) => {
    if (event.kind === "reload" || (event.kind === "run" && event.data.id === runId)) refresh();
  });
  return runId === undefined ? undefined : data;
}

const safetyMs = 1000;
const mostOftenMs = 250;

/** At once, and then at most once in each span; the last call always counts. */
function useThrottled(act: () => void, spanMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastAtMs = useRef(0);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    clearTimeout(timer.current);
    const waitMs = Math.max(0, lastAtMs.current + spanMs - Date.now());
    timer.current = setTimeout(() => {
      lastAtMs.current = Date.now();
      latest.current();
    }, waitMs);
  };
}
