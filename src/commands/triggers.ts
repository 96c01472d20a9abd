import { z } from "zod";
import { newId } from "../base/ids.ts";
import { toAcceptedRun } from "../runs/accept/accepted-run.ts";
import { type Trigger, triggerChange, triggerRequest, triggerTrial } from "../triggers/wire.ts";
import { pickAction, readOptions, requireOrganization, withRunning } from "./command-line.ts";
import { readData, sayForData } from "./data-option.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const inOrganization = z.object({ organization: z.uuid() });
const selection = inOrganization.extend({ workflow: z.uuid().optional(), failing: z.boolean().optional() });
const oneTrigger = inOrganization.extend({ id: z.uuid() });
const newTrigger = inOrganization.extend({ data: z.string() });
const changedTrigger = oneTrigger.extend({ data: z.string() });
const trial = oneTrigger.extend({ data: z.string().optional() });

const pageSize = 200;

export async function triggers(words: string[]) {
  const { action, rest } = pickAction(words, { list, get, create, update, delete: remove, test, poll });
  return await action(rest);
}

async function list(words: string[]) {
  const { organization, workflow: workflowId, failing } = readOptions(words, selection);
  return await withRunning(async (running, parts) => {
    await requireOrganization(parts, organization);
    const found: Trigger[] = [];
    let cursor: string | undefined;
    do {
      const wanted = { workflowId, failing: failing ? ("true" as const) : undefined, limit: pageSize, cursor };
      const page = await running.triggers.list(organization, wanted);
      found.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  });
}

async function get(words: string[]) {
  const place = toPlace(readOptions(words, oneTrigger));
  return await withRunning((running) => running.triggers.get(place));
}

/** With its address and its secret, which are shown only now. */
async function create(words: string[]) {
  const { organization, data } = await readOptionsWithSecret(words, newTrigger, { secret: "data" });
  const request = readData(data, triggerRequest);
  return await withRunning(async (running, parts) => {
    await requireOrganization(parts, organization);
    return await running.triggers.create(organization, { ...request, createdBy: null }).catch(sayForData);
  });
}

async function update(words: string[]) {
  const { data, ...named } = await readOptionsWithSecret(words, changedTrigger, { secret: "data" });
  const change = readData(data, triggerChange);
  return await withRunning((running) => running.triggers.update(toPlace(named), change).catch(sayForData));
}

async function remove(words: string[]) {
  const place = toPlace(readOptions(words, oneTrigger));
  return await withRunning(async (running) => {
    const notRemoved = await running.triggers.remove(place);
    return { id: place.triggerId, deleted: true, ...(notRemoved === undefined ? {} : { notRemoved }) };
  });
}

/** The run is stored, and runs at a server that has the role worker. */
async function test(words: string[]) {
  const { data = "{}", ...named } = await readOptionsWithSecret(words, trial, { secret: "data" });
  const wanted = readData(data, triggerTrial) ?? {};
  return await withRunning(async (running, { ground: { config, tracing } }) => {
    const place = toPlace(named);
    const started = await running.triggers
      .tryTrigger({ place, trial: wanted, requestId: newId(), trace: tracing.follow() })
      .catch(sayForData);
    return toAcceptedRun(config.platform.baseUrl, started);
  });
}

async function poll(words: string[]) {
  const place = toPlace(readOptions(words, oneTrigger));
  return await withRunning((running) => running.triggers.lookNow(place, { again: false }));
}

const toPlace = ({ organization, id }: z.output<typeof oneTrigger>) => ({
  organizationId: organization,
  triggerId: id,
});
