import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Listening, WebhookDeliveryDetail, WebhookDeliveryList } from "../../src/deliveries/wire.ts";
import type { RunStarts } from "../../src/runs/wire.ts";
import { get, path, post, query, remove } from "../request.ts";

const base = (organizationId: string, triggerId: string) =>
  path`/api/organizations/${organizationId}/triggers/${triggerId}`;

export type DeliveryFilter = "all" | "refused" | "listened";

const filters = { all: {}, refused: { refused: true }, listened: { listened: true } } as const;

export const deliveriesKey = (organizationId: string, triggerId: string) =>
  ["organizations", organizationId, "deliveries", triggerId] as const;

/** Newest first, one page after the other. */
export const deliveriesQuery = (organizationId: string, triggerId: string, filter: DeliveryFilter = "all") =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey(organizationId, triggerId), filter],
    queryFn: ({ pageParam }) =>
      get<WebhookDeliveryList>(
        `${base(organizationId, triggerId)}/deliveries${query({ ...filters[filter], cursor: pageParam })}`,
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What came while nobody looked is not told later.
    staleTime: 0,
  });

/** It never changes. */
export const deliveryQuery = (organizationId: string, triggerId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(organizationId, triggerId), "one", deliveryId],
    queryFn: () => get<WebhookDeliveryDetail>(base(organizationId, triggerId) + path`/deliveries/${deliveryId}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const listen = (organizationId: string, triggerId: string) =>
  post<Listening>(`${base(organizationId, triggerId)}/listen`);

export const stopListening = (organizationId: string, triggerId: string) =>
  remove(`${base(organizationId, triggerId)}/listen`);

/** What started a workflow since a day began. */
export const startsQuery = (organizationId: string, workflowId: string, since: Date) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "starts", workflowId, since.toISOString()],
    queryFn: () =>
      get<RunStarts>(
        path`/api/organizations/${organizationId}/workflows/${workflowId}/starts` +
          query({ since: since.toISOString() }),
      ),
  });
