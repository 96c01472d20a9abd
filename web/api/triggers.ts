import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { acceptedRun } from "../../src/runs/wire.ts";
import type {
  DeletedTrigger,
  PollSampleRequest,
  PollSamples,
  Trigger,
  TriggerChange,
  TriggerList,
  TriggerRequest,
  TriggerTrial,
  TriggerWithSecrets,
  WebhookRemovalList,
} from "../../src/triggers/wire.ts";
import { get, patch, path, post, query, remove } from "../request.ts";

const base = (organizationId: string) => path`/api/organizations/${organizationId}/triggers`;
const one = (organizationId: string, triggerId: string) => base(organizationId) + path`/${triggerId}`;

export const triggersKey = (organizationId: string) => ["organizations", organizationId, "triggers"] as const;
export const triggerListsKey = (organizationId: string) => [...triggersKey(organizationId), "list"] as const;

/** Newest first, one page after the other. */
export const triggersQuery = (organizationId: string, workflowId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...triggerListsKey(organizationId), workflowId ?? ""],
    queryFn: ({ pageParam }) =>
      get<TriggerList>(base(organizationId) + query({ workflowId, cursor: pageParam, limit: 100 })),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Choosing a workflow leaves the page as it is until the answer is there; another organization's triggers never stay.
    placeholderData: (before, queryBefore) => (queryBefore?.queryKey[1] === organizationId ? before : undefined),
  });

/** Those that are on and started nothing the last time, or were turned off by themselves. */
export const failingTriggersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "failing"],
    queryFn: async () => (await get<TriggerList>(base(organizationId) + query({ failing: true }))).data,
  });

/** With its next five times. */
export const triggerQuery = (organizationId: string, triggerId: string) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "one", triggerId],
    queryFn: () => get<Trigger>(one(organizationId, triggerId)),
  });

export type Schedule = { cron: string; timeZone: string };

/** The next five times a schedule that is not saved would fire. */
export const schedulePreviewQuery = (organizationId: string, schedule: Schedule) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "preview", schedule],
    queryFn: async () =>
      (await post<{ nextFireTimes: string[] }>(path`/api/organizations/${organizationId}/schedule-preview`, schedule))
        .nextFireTimes,
    staleTime: 0,
  });

/** What the server fills in may be left out. */
export type NewTrigger = Pick<TriggerRequest, "workflowId" | "kind" | "name"> & Partial<TriggerRequest>;

export const createTrigger = (organizationId: string, body: NewTrigger) =>
  post<TriggerWithSecrets>(base(organizationId), body);

export const changeTrigger = (organizationId: string, triggerId: string, body: TriggerChange) =>
  patch<Trigger>(one(organizationId, triggerId), body);

/** Says why where the provider could not be told. */
export const deleteTrigger = async (organizationId: string, triggerId: string): Promise<string | undefined> =>
  (await remove<DeletedTrigger | undefined>(one(organizationId, triggerId)))?.notRemoved;

const removals = (organizationId: string) => path`/api/organizations/${organizationId}/webhook-removals`;

/** The first of what is left at providers. */
export const webhookRemovalsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "removals"],
    queryFn: async () => (await get<WebhookRemovalList>(removals(organizationId))).data,
  });

export const retryRemoval = (organizationId: string, id: string) =>
  post<void>(removals(organizationId) + path`/${id}/retry`);
export const forgetRemoval = (organizationId: string, id: string) =>
  remove<void>(removals(organizationId) + path`/${id}`);

export const regenerateTriggerToken = (organizationId: string, triggerId: string) =>
  post<TriggerWithSecrets>(`${one(organizationId, triggerId)}/regenerate-token`);

/** The newest that a poll would find. Nothing is noted, and no run starts. */
export const readSamples = (organizationId: string, body: PollSampleRequest) =>
  post<PollSamples>(`${base(organizationId)}/samples`, body);

/** The same for one that exists: asked anew each time it is opened, and only then. */
export const samplesQuery = (organizationId: string, body: PollSampleRequest) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "samples", body],
    queryFn: () => readSamples(organizationId, body),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** Has it look at its service as soon as a process is free to. */
export const lookNow = (organizationId: string, triggerId: string) =>
  post<Trigger>(`${one(organizationId, triggerId)}/poll`);

/** The same, with all items that it keeps back or has given up. */
export const retryItems = (organizationId: string, triggerId: string) =>
  post<Trigger>(`${one(organizationId, triggerId)}/retry-items`);

/** Starts the workflow as a delivery or a tick would. */
export const testTrigger = (organizationId: string, triggerId: string, trial: TriggerTrial = {}) =>
  post<z.infer<typeof acceptedRun>>(`${one(organizationId, triggerId)}/test`, trial);

/** Null where it was shown once only. */
export const addressQuery = (organizationId: string, triggerId: string) =>
  queryOptions({
    queryKey: [...triggersKey(organizationId), "address", triggerId],
    queryFn: async () =>
      (await get<{ webhookUrl: string | null }>(`${one(organizationId, triggerId)}/address`)).webhookUrl,
  });
