import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WebhookDelivery, WebhookDeliveryList } from "../../../../src/deliveries/wire.ts";
import { deliveriesQuery, listen, stopListening } from "../../../api/deliveries.ts";
import { useLive } from "../../../live.ts";
import { useNow } from "../../../parts/duration.tsx";
import { useLiveDeliveries } from "./use-live-deliveries.ts";

export type ListeningState = ReturnType<typeof useListening>;

type Place = { organizationId: string; triggerId: string };

/** Listening for one event, by this person or by somebody else. */
export function useListening(place: Place, onArrived: (delivery: WebhookDelivery) => void) {
  const { organizationId, triggerId } = place;
  const { until, leftMs, setUntil } = useTimeLeft(place, onArrived);
  /** What ended without an event is only told to who began it. */
  const [begun, setBegun] = useState<string>();
  const begin = useMutation({
    mutationFn: () => listen(organizationId, triggerId),
    onSuccess: (begunNow) => {
      setUntil(begunNow.until);
      setBegun(begunNow.until);
    },
  });
  const stop = useMutation({
    mutationFn: () => stopListening(organizationId, triggerId),
    onSuccess: () => setUntil(null),
  });
  return {
    isListening: leftMs > 0,
    isOver: begun !== undefined && until === begun && leftMs <= 0,
    leftMs,
    begin: () => begin.mutate(),
    stop: () => stop.mutate(),
    isBusy: begin.isPending || stop.isPending,
    error: begin.error ?? stop.error,
  };
}

/** How long the next event of a webhook is still waited for. */
export function useTimeLeft({ organizationId, triggerId }: Place, onArrived?: (delivery: WebhookDelivery) => void) {
  const queryClient = useQueryClient();
  const options = deliveriesQuery(organizationId, triggerId);
  const until = useInfiniteQuery(options).data?.pages[0]?.listeningUntil ?? null;
  const now = useNow(1_000);
  const leftMs = until === null ? 0 : Math.max(0, Date.parse(until) - now);
  const setUntil = (listeningUntil: string | null) =>
    queryClient.setQueryData<InfiniteData<WebhookDeliveryList, string>>(
      options.queryKey,
      (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, listeningUntil })) },
    );
  useLiveDeliveries(organizationId, triggerId, "all");
  useLive(organizationId, (event) => {
    if (event.kind !== "webhook-delivery" || event.data.triggerId !== triggerId || !event.data.listened) return;
    setUntil(null);
    onArrived?.(event.data);
  });
  return { until, leftMs, setUntil };
}

/** Such as 1:42. */
export function writeTimeLeft(leftMs: number): string {
  const seconds = Math.floor(leftMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
