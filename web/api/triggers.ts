import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { acceptedRun } from "../../src/runs/wire.ts";
import type { Trigger, TriggerChange, TriggerRequest, TriggerWithSecrets } from "../../src/triggers/wire.ts";
import { get, type List, patch, path, post, remove } from "../request.ts";

const base = (organizationId: string) => path`/api/organizations/${organizationId}/triggers`;
const one = (organizationId: string, triggerId: string) => base(organizationId) + path`/${triggerId}`;

export const triggersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "triggers"],
    queryFn: async () => (await get<List<Trigger>>(base(organizationId))).data,
  });

export type Schedule = { cron: string; timeZone: string };

/** The next five times a schedule that is not saved would fire. */
export const schedulePreviewQuery = (organizationId: string, schedule: Schedule) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "triggers", "preview", schedule],
    queryFn: async () =>
      (await post<{ nextFireTimes: string[] }>(path`/api/organizations/${organizationId}/schedule-preview`, schedule)).nextFireTimes,
    staleTime: 0,
  });

/** What the server fills in may be left out. */
export type NewTrigger = Pick<TriggerRequest, "workflowId" | "kind" | "name"> & Partial<TriggerRequest>;

export const createTrigger = (organizationId: string, body: NewTrigger) => post<TriggerWithSecrets>(base(organizationId), body);

export const changeTrigger = (organizationId: string, triggerId: string, body: TriggerChange) =>
  patch<Trigger>(one(organizationId, triggerId), body);

export const deleteTrigger = (organizationId: string, triggerId: string) => remove(one(organizationId, triggerId));

export const regenerateTriggerToken = (organizationId: string, triggerId: string) =>
  post<TriggerWithSecrets>(`${one(organizationId, triggerId)}/regenerate-token`);

/** Starts the workflow as a delivery or a tick would. */
export const testTrigger = (organizationId: string, triggerId: string) =>
  post<z.infer<typeof acceptedRun>>(`${one(organizationId, triggerId)}/test`);
