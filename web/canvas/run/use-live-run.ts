import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { isOver, runQuery } from "../../api/runs.ts";
import { useLive } from "../../live.ts";
import { createThrottle } from "./throttle.ts";

const perEventMs = 250;
/** Nodes are not announced one by one, and an announcement may be late. */
const pollMs = 1_000;

/** A run that keeps up with what happens until it is over. */
export function useLiveRun(organizationId: string, runId: string) {
  const queryClient = useQueryClient();
  const readAgain = useMemo(
    () => createThrottle(() => void queryClient.invalidateQueries(runQuery(organizationId, runId)), perEventMs),
    [queryClient, organizationId, runId],
  );
  useEffect(() => readAgain.stop, [readAgain]);
  useLive(organizationId, (event) => {
    if (event.kind === "reload" || (event.kind === "run" && event.data.id === runId)) readAgain.ask();
  });
  return useQuery({
    ...runQuery(organizationId, runId),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? pollMs : false),
  });
}
