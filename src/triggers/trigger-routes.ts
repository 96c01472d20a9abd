import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { userOf } from "../door/caller.ts";
import { toAcceptedRun } from "../runs/accept/accepted-run.ts";
import { acceptedRun } from "../runs/wire.ts";
import type { FindSamples } from "./polls/find-samples.ts";
import type { ReadAddress } from "./read-address.ts";
import type { Triggers } from "./triggers.ts";
import type { TryTrigger } from "./try-trigger.ts";
import * as wire from "./wire.ts";

const tags = ["Triggers"];
const organizationPath = "/api/organizations/:organizationId";
const path = `${organizationPath}/triggers`;
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ triggerId: z.uuid() });
const reading = { access: { role: "viewer" } } as const;
const writing = { access: { role: "member" } } as const;
const nothing = z.undefined().describe("Nothing.");
const address = z.object({
  webhookUrl: z
    .string()
    .nullable()
    .describe(
      "Null where it is shown only once, because it is all that a sender needs, or where only the provider knows it.",
    ),
});

export type TriggerRouteOptions = {
  triggers: Triggers;
  tryTrigger: TryTrigger;
  readAddress: ReadAddress;
  findSamples: FindSamples["find"];
  platformBaseUrl: string;
};

export function registerTriggerRoutes(
  server: FastifyInstance,
  { triggers, findSamples, readAddress, ...trying }: TriggerRouteOptions,
): void {
  registerReading(server, triggers);
  registerWriting(server, triggers);
  registerAddress(server, { triggers, readAddress });
  registerTrying(server, trying);
  registerPolling(server, { triggers, findSamples });
}

function registerReading(server: FastifyInstance, triggers: Triggers): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: reading,
      schema: {
        tags,
        summary: "List schedules, webhooks and polls, newest first",
        params: inOrganization,
        querystring: wire.triggerQuery,
        response: { 200: wire.triggerList },
      },
    },
    (request) => triggers.list(request.params.organizationId, request.query),
  );

  routes.get(
    `${path}/:triggerId`,
    {
      config: reading,
      schema: { tags, summary: "Read a trigger; its secrets are not shown", params, response: { 200: wire.trigger } },
    },
    (request) => triggers.get(request.params),
  );

  routes.post(
    `${organizationPath}/schedule-preview`,
    {
      config: { ...reading, changesNothing: true },
      schema: {
        tags,
        summary: "See when a schedule would fire",
        params: inOrganization,
        body: wire.schedulePreviewRequest,
        response: { 200: wire.schedulePreview },
      },
    },
    async (request) => ({ nextFireTimes: await triggers.preview(request.body) }),
  );
}

function registerWriting(server: FastifyInstance, triggers: Triggers): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    path,
    {
      config: writing,
      schema: {
        tags,
        summary: "Create a schedule, a webhook or a poll",
        params: inOrganization,
        body: wire.triggerRequest,
        response: { 201: wire.triggerWithSecrets },
      },
    },
    async (request, reply) => {
      const createdBy = userOf(request).userId;
      return reply.code(201).send(await triggers.create(request.params.organizationId, { ...request.body, createdBy }));
    },
  );

  routes.patch(
    `${path}/:triggerId`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Change a trigger or turn it on or off",
        params,
        body: wire.triggerChange,
        response: { 200: wire.trigger },
      },
    },
    (request) => triggers.update(request.params, request.body),
  );

  routes.delete(
    `${path}/:triggerId`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Delete a trigger, and the webhook that was set up for it",
        params,
        response: { 200: wire.deletedTrigger, 204: nothing },
      },
    },
    async (request, reply) => {
      const notRemoved = await triggers.remove(request.params);
      return notRemoved === undefined ? reply.code(204).send() : reply.code(200).send({ notRemoved });
    },
  );
}

function registerAddress(
  server: FastifyInstance,
  { triggers, readAddress }: Pick<TriggerRouteOptions, "triggers" | "readAddress">,
): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/:triggerId/address`,
    {
      // Who only reads has no use for where to deliver to.
      config: writing,
      schema: { tags, summary: "Read the address of a signed webhook", params, response: { 200: address } },
    },
    async (request) => ({ webhookUrl: await readAddress(request.params) }),
  );

  routes.post(
    `${path}/:triggerId/regenerate-token`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Give a webhook a new address and signing secret",
        params,
        response: { 200: wire.triggerWithSecrets },
      },
    },
    (request) => triggers.regenerateToken(request.params),
  );
}

function registerTrying(
  server: FastifyInstance,
  { tryTrigger, platformBaseUrl }: Pick<TriggerRouteOptions, "tryTrigger" | "platformBaseUrl">,
): void {
  server.withTypeProvider<ZodTypeProvider>().post(
    `${path}/:triggerId/test`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Start what a tick, delivery or new item would start, also while off",
        params,
        body: wire.triggerTrial,
        response: { 202: acceptedRun },
      },
    },
    async (request, reply) => {
      const { userId, name } = userOf(request);
      const user = { id: userId, name };
      const started = await tryTrigger({
        place: request.params,
        trial: request.body ?? {},
        user,
        requestId: request.id,
        trace: request.trace,
      });
      return reply.code(202).send(toAcceptedRun(platformBaseUrl, started));
    },
  );
}

function registerPolling(
  server: FastifyInstance,
  { triggers, findSamples }: Pick<TriggerRouteOptions, "triggers" | "findSamples">,
): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${path}/samples`,
    {
      config: { ...writing, changesNothing: true },
      schema: {
        tags,
        summary: "See the newest items that a poll would find; nothing is stored",
        params: inOrganization,
        body: wire.pollSampleRequest,
        response: { 200: wire.pollSamples },
      },
    },
    (request) => findSamples(request.params.organizationId, request.body),
  );

  routes.post(
    `${path}/:triggerId/poll`,
    {
      config: writing,
      schema: { tags, summary: "Let a poll look now; it must be on", params, response: { 200: wire.trigger } },
    },
    (request) => triggers.lookNow(request.params, { again: false }),
  );

  routes.post(
    `${path}/:triggerId/retry-items`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Let a poll look now, also at the items that it kept back",
        params,
        response: { 200: wire.trigger },
      },
    },
    (request) => triggers.lookNow(request.params, { again: true }),
  );
}
