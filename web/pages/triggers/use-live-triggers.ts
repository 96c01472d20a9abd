import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import type { Trigger, TriggerList } from "../../../src/triggers/wire.ts";
import { triggerListsKey, triggersKey } from "../../api/triggers.ts";
import { useLive } from "../../live.ts";

type Pages = InfiniteData<TriggerList>;

/** Keeps the list right while runs start. */
export function useLiveTriggers(organizationId: string): void {
  const queryClient = useQueryClient();
  const lists = { queryKey: triggerListsKey(organizationId) };
  const refresh = (queryKey: readonly string[]) =>
    void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });

  useLive(organizationId, (event) => {
    if (event.kind === "reload") refresh(lists.queryKey);
    if (event.kind !== "run" || event.data.triggerId === null) return;
    const { triggerId, createdAt } = event.data;
    const trigger = queryClient.getQueriesData<Pages>(lists).flatMap(([, list]) => find(list, triggerId))[0];
    if (!trigger || (trigger.lastRunAt && trigger.lastRunAt >= createdAt)) return;
    // A schedule or a poll has another next time now; a webhook may be called often, so nothing is asked for.
    if (trigger.kind !== "webhook") refresh(triggersKey(organizationId));
    queryClient.setQueriesData<Pages>(lists, (list) => list && note(list, triggerId, createdAt));
  });
}

const find = (list: Pages | undefined, triggerId: string): Trigger[] =>
  list?.pages.flatMap(({ data }) => data.filter(({ id }) => id === triggerId)) ?? [];

const note = ({ pages, pageParams }: Pages, triggerId: string, lastRunAt: string): Pages => ({
  pageParams,
  pages: pages.map((page) => ({
    ...page,
    data: page.data.map((each) => (each.id === triggerId ? { ...each, lastRunAt, lastError: null } : each)),
  })),
});
