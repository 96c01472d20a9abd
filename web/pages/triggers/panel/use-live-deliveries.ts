import type { WebhookDelivery } from "../../../../src/deliveries/wire.ts";
import { type DeliveryFilter, deliveriesQuery } from "../../../api/deliveries.ts";
import { useLiveList } from "../../history/use-live-list.ts";

/** Keeps a list of deliveries as it is on the server while anything of its trigger is shown. */
export function useLiveDeliveries(organizationId: string, triggerId: string, filter: DeliveryFilter): void {
  useLiveList(organizationId, {
    queryKey: deliveriesQuery(organizationId, triggerId, filter).queryKey,
    kind: "webhook-delivery",
    fits: (entry) => entry.triggerId === triggerId && fits[filter](entry),
  });
}

const fits: Record<DeliveryFilter, (delivery: WebhookDelivery) => boolean> = {
  all: () => true,
  refused: ({ outcome }) => outcome === "refused",
  listened: ({ listened }) => listened,
};
