import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { isOver, runQuery } from "../../api/runs.ts";
import { useLive } from "../../live.ts";
import { createThrottle } from "../run/throttle.ts";

const mostOftenMs = 250;
const safetyMs = 1000;

/** The run of the address, kept up to date while it goes on: by what the server tells, and by asking now and then. */
export function useShownRun(organizationId: string, runId: string | undefined): Run | undefined {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...runQuery(organizationId, runId ?? ""),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? safetyMs : false),
  });
  const readAgain = useMemo(
    () => createThrottle(() => void queryClient.invalidateQueries(runQuery(organizationId, runId ?? "")), mostOftenMs),
    [queryClient, organizationId, runId],
  );
  useEffect(() => readAgain.stop, [readAgain]);
  useLive(organizationId, (event) => {
    if (event.kind === "reload" || (event.kind === "run" && event.data.id === runId)) readAgain.ask();
  });
  return runId === undefined ? undefined : data;
}
