import { useQueryClient } from "@tanstack/react-query";
import { triggersQuery } from "../../api/triggers.ts";
import { useLive } from "../../live.ts";

/** Keeps the list right while runs start. */
export function useLiveTriggers(organizationId: string): void {
  const queryClient = useQueryClient();
  const { queryKey } = triggersQuery(organizationId);
  const refresh = () => void queryClient.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });

  useLive(organizationId, (event) => {
    if (event.kind === "reload") refresh();
    if (event.kind !== "run" || event.data.triggerId === null) return;
    const { triggerId, createdAt } = event.data;
    const trigger = queryClient.getQueryData(queryKey)?.find(({ id }) => id === triggerId);
    if (!trigger || (trigger.lastRunAt && trigger.lastRunAt >= createdAt)) return;
    // A schedule has other next times now; a webhook may be called often, so nothing is asked for.
    if (trigger.kind === "schedule") refresh();
    queryClient.setQueryData(queryKey, (list) =>
      list?.map((each) => (each.id === triggerId ? { ...each, lastRunAt: createdAt, lastError: null } : each)),
    );
  });
}
