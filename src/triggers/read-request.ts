import { type FieldFault, Refusal } from "../base/refusal.ts";
import { checkSchedule, firstTick, type Schedule } from "./next-fire-times.ts";
import { changePoll, type SaysSame } from "./polls/change-poll.ts";
import type { TriggerRow, TriggerUpdate } from "./store.ts";
import { type TriggerChange, type TriggerRequest, type WebhookMethod, webhookMethods } from "./wire.ts";

/** The schedule that somebody asked for, or a refusal of the fields that do not fit one. */
export function readSchedule({ cron, timeZone, ...others }: TriggerRequest): Schedule {
  const {
    provider,
    credentialId,
    signature,
    methods,
    answerWithinSeconds,
    takesBots,
    events,
    places,
    filter,
    register,
    poll,
  } = others;
  const ofProviders = { provider, credentialId, takesBots, events, places, register };
  refuseFields({ ...ofProviders, signature, methods, answerWithinSeconds, filter }, ofWebhooks);
  refuseFields({ poll }, ofPolls);
  requireFields({ cron, timeZone });
  const schedule = { cron: cron as string, timeZone: timeZone as string };
  checkSchedule(schedule);
  return schedule;
}

export function readWebhook({ cron, timeZone, provider, credentialId, signature, ...others }: TriggerRequest) {
  const { methods, answerWithinSeconds, takesBots, events, places, register, poll } = others;
  refuseFields({ cron, timeZone }, ofSchedules);
  refuseFields({ poll }, ofPolls);
  if (provider === undefined) {
    refuseFields({ credentialId, takesBots, events, places, register }, ofProvider);
    requireFields({ signature });
    return undefined;
  }
  refuseFields({ signature, methods, answerWithinSeconds }, withoutProvider);
  requireFields({ credentialId });
  return { providerId: provider, credentialId: credentialId as string };
}

/** The provider that is looked at, and for what. */
export function readPoll({ provider, poll, credentialId, ...others }: TriggerRequest) {
  const { cron, timeZone, signature, methods, answerWithinSeconds, takesBots, events, places, register } = others;
  refuseFields({ cron, timeZone }, ofSchedules);
  refuseFields({ signature, methods, answerWithinSeconds, takesBots, events, places, register }, ofWebhooks);
  requireFields({ provider, poll });
  return { providerId: provider as string, credentialId: credentialId ?? null, poll: poll as NonNullable<typeof poll> };
}

/** What a change means for the row as it is at that moment. */
export function readChange(row: TriggerRow, change: TriggerChange, changedAt: Date, saysSame: SaysSame): TriggerUpdate {
  const { name = row.name, active = row.is_active, prompt = row.prompt, overrides } = change;
  const update = {
    name,
    is_active: active,
    prompt,
    overrides: overrides ? JSON.stringify(overrides) : row.overrides,
    // Somebody knows by now, and it is counted anew.
    ...(change.active === undefined ? {} : { stopped_reason: null, own_events_since: null }),
  };
  if (row.kind === "schedule") return { ...update, ...readScheduleChange(row, { ...change, active }, changedAt) };
  if (row.kind === "poll")
    return { ...update, ...readPollChange(row, { ...change, active }, { now: changedAt, saysSame }) };
  return { ...update, ...readWebhookChange(row, change) };
}

function readWebhookChange(row: TriggerRow, change: TriggerChange): TriggerUpdate {
  const { cron, timeZone, credentialId, methods, answerWithinSeconds, takesBots, events, places, register, poll } =
    change;
  refuseFields({ cron, timeZone }, ofSchedules);
  refuseFields({ poll }, ofPolls);
  if (row.provider_id === null) refuseFields({ credentialId, takesBots, events, places, register }, ofProvider);
  else refuseFields({ methods, answerWithinSeconds }, withoutProvider);
  if (credentialId === null) throw invalid([{ pointer: "/credentialId", detail: "is required" }]);
  return {
    takes_bots: takesBots ?? row.takes_bots,
    ...writeFilters(change),
    ...(credentialId === undefined ? {} : { credential_id: credentialId, own_sender: null, own_sender_asked_at: null }),
    methods: methods ? writeMethods(methods) : row.methods,
    answer_within_seconds: answerWithinSeconds === undefined ? row.answer_within_seconds : answerWithinSeconds,
  };
}

const ofSchedules = "belongs to schedules";
const ofWebhooks = "belongs to webhooks";
const ofPolls = "belongs to polls";
const ofProvider = "belongs to webhooks of a provider";
const withoutProvider = "belongs to webhooks without a provider";

/** What of a request says which events start runs; what is not named stays as it is. */
export const writeFilters = ({ events, places, filter }: Pick<TriggerChange, "events" | "places" | "filter">) => ({
  ...(events && { events: JSON.stringify(events) }),
  ...(places && { places: JSON.stringify(places) }),
  ...(filter !== undefined && { filter: filter.trim() }),
});

/** In one order, each once. */
export const writeMethods = (methods: readonly WebhookMethod[]): string =>
  webhookMethods.filter((method) => methods.includes(method)).join(",");

function readScheduleChange(row: TriggerRow, change: TriggerChange, changedAt: Date): TriggerUpdate {
  const {
    active,
    cron,
    timeZone,
    credentialId,
    methods,
    answerWithinSeconds,
    takesBots,
    events,
    places,
    filter,
    register,
    poll,
  } = change;
  refuseFields({ credentialId, takesBots, events, places, register }, ofProvider);
  refuseFields({ methods, answerWithinSeconds, filter }, ofWebhooks);
  refuseFields({ poll }, ofPolls);
  const schedule = { cron: cron ?? row.cron ?? "", timeZone: timeZone ?? row.time_zone ?? "" };
  const update = { cron: schedule.cron, time_zone: schedule.timeZone };
  const isSame = schedule.cron === row.cron && schedule.timeZone === row.time_zone;
  if (!isSame) checkSchedule(schedule);
  if (!active) return { ...update, next_fire_at: null };
  // One that stays as it is keeps its tick, also when that is due and not fired yet.
  return { ...update, next_fire_at: isSame && row.is_active ? row.next_fire_at : firstTick(schedule, changedAt) };
}

function readPollChange(
  row: TriggerRow,
  change: TriggerChange,
  changing: Parameters<typeof changePoll>[2],
): TriggerUpdate {
  const { cron, timeZone, methods, answerWithinSeconds, takesBots, events, places, register } = change;
  refuseFields({ cron, timeZone }, ofSchedules);
  refuseFields({ methods, answerWithinSeconds, takesBots, events, places, register }, ofWebhooks);
  return { ...writeFilters(change), ...changePoll(row, change, changing) };
}

export const invalid = (errors: FieldFault[]): Refusal =>
  new Refusal(
    "validation_failed",
    `${errors[0]?.pointer.slice(1) ?? "The body"} ${errors[0]?.detail ?? "is not valid"}.`,
    { errors },
  );

type Fields = Record<string, unknown>;

const refuseFields = (fields: Fields, detail: string): void => refuse(fields, (value) => value !== undefined, detail);
const requireFields = (fields: Fields): void => refuse(fields, (value) => value === undefined, "is required");

function refuse(fields: Fields, isWrong: (value: unknown) => boolean, detail: string): void {
  const names = Object.keys(fields).filter((name) => isWrong(fields[name]));
  if (names.length > 0) throw invalid(names.map((name) => ({ pointer: `/${name}`, detail })));
}
