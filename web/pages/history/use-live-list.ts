import { hashKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useLive } from "../../live.ts";
import { createListKeeper, type EntryKind, type KeptList } from "./keep-list.ts";

/** Shows in a list what happens while it is looked at. `fits` may depend only on what is in the key. */
export function useLiveList<Kind extends EntryKind>(organizationId: string, list: KeptList<Kind>): void {
  const queryClient = useQueryClient();
  const key = hashKey(list.queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all there is to say about the list.
  const keeper = useMemo(() => createListKeeper(queryClient, list), [queryClient, key]);
  useEffect(() => keeper.stop, [keeper]);
  useLive(organizationId, keeper.tell);
}
