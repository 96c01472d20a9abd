import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  EventDelivery,
  EventDeliveryList,
  EventEndpoint,
  EventEndpointChange,
  EventEndpointRequest,
  EventEndpointWithSecret,
} from "../../src/events/wire.ts";
import type { Organization } from "../../src/identity/wire.ts";
import type { SlotUse } from "../../src/slots/wire.ts";
import type { Usage } from "../../src/usage/wire.ts";
import { get, type List, patch, path, post, query, remove } from "../request.ts";

/** How much is under way right now. Cheap, so a page that shows it asks again every two seconds. */
export const slotsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "organization", "slots"],
    queryFn: () => get<SlotUse>(path`/api/organizations/${organizationId}/slots`),
    refetchInterval: 2_000,
    staleTime: 0,
  });

export const usageQuery = (organizationId: string, days: Days) =>
  queryOptions({
    queryKey: [...areaKey(organizationId), "usage", days],
    queryFn: () => get<Usage>(path`/api/organizations/${organizationId}/usage` + query({ days })),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });

export const renameOrganization = (organizationId: string, name: string) =>
  patch<Organization>(path`/api/organizations/${organizationId}`, { name });

export const deleteOrganization = (organizationId: string) => remove(path`/api/organizations/${organizationId}`);

export const eventEndpointsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...areaKey(organizationId), "event-endpoints"],
    queryFn: async () => (await get<List<EventEndpoint>>(endpoints(organizationId))).data,
  });

/** The newest deliveries; asked again while some are under way. */
export const deliveriesQuery = (organizationId: string, endpointId: string) =>
  queryOptions({
    queryKey: [...areaKey(organizationId), "event-endpoints", endpointId, "deliveries"],
    queryFn: () => get<EventDeliveryList>(`${endpoint(organizationId, endpointId)}/deliveries?limit=20`),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === "pending") ? 2_000 : 15_000),
  });

export const createEventEndpoint = (organizationId: string, body: EventEndpointRequest) =>
  post<EventEndpointWithSecret>(endpoints(organizationId), body);

export const changeEventEndpoint = (organizationId: string, endpointId: string, body: EventEndpointChange) =>
  patch<EventEndpoint>(endpoint(organizationId, endpointId), body);

export const rotateEventSecret = (organizationId: string, endpointId: string) =>
  post<EventEndpointWithSecret>(`${endpoint(organizationId, endpointId)}/rotate-secret`);

export const testEventEndpoint = (organizationId: string, endpointId: string) =>
  post<EventDelivery>(`${endpoint(organizationId, endpointId)}/test`);

export const redeliverEvent = (organizationId: string, endpointId: string, deliveryId: string) =>
  post<EventDelivery>(endpoint(organizationId, endpointId) + path`/deliveries/${deliveryId}/redeliver`);

export const deleteEventEndpoint = (organizationId: string, endpointId: string) =>
  remove(endpoint(organizationId, endpointId));

export const days = ["1", "7", "30"] as const;
export type Days = (typeof days)[number];

const areaKey = (organizationId: string) => ["organizations", organizationId, "organization"];
const endpoints = (organizationId: string) => path`/api/organizations/${organizationId}/event-endpoints`;
const endpoint = (organizationId: string, endpointId: string) => endpoints(organizationId) + path`/${endpointId}`;
