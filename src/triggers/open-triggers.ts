import type { FastifyInstance } from "fastify";
import { createStartCall } from "../calls/start-call.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { OpenedDeliveries } from "../deliveries/open-deliveries.ts";
import type { Ground } from "../ground/ground.ts";
import type { ReadRecentOutputs } from "../runs/read/recent-outputs.ts";
import type { Runs } from "../runs/runs.ts";
import type { Vault } from "../vault/vault.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createFindActingNodes } from "./acting-nodes.ts";
import { createBelieveDelivery } from "./believe-delivery.ts";
import { createCallProvider } from "./call-provider.ts";
import { createIsFilterMet } from "./filter-events.ts";
import { createSchedules } from "./fire-schedules.ts";
import { createJudgeEvent } from "./judge-event.ts";
import { createPolls } from "./polls/find-poll.ts";
import { createFindSamples } from "./polls/find-samples.ts";
import { createLookForNew } from "./polls/look-for-new.ts";
import { createMakeLook } from "./polls/make-look.ts";
import { createOpenAccount } from "./polls/open-account.ts";
import { createPollServices } from "./polls/poll-services.ts";
import { createStopOwnItems } from "./polls/stop-own-items.ts";
import { createTakeItems } from "./polls/take-items.ts";
import { createReadAddress } from "./read-address.ts";
import { createReceiveWebhook } from "./receive-webhook.ts";
import { createRegistrationTurns } from "./registration-turns.ts";
import { createRegistrations } from "./registrations.ts";
import { createRemoveWebhook } from "./remove-webhook.ts";
import { createStopLoops } from "./stop-loops.ts";
import { createTriggers } from "./triggers.ts";
import { createTryTrigger } from "./try-trigger.ts";
import { createTurnOff } from "./turn-off.ts";
import { createWebhookRemovals } from "./webhook-removals.ts";
import { createWebhookSecrets } from "./webhook-secrets.ts";

type Needs = {
  catalog: Catalog;
  vault: Vault;
  workflows: Workflows;
  runs: Pick<Runs, "startRun" | "waitForAnswer" | "checkOverrides"> & { readRecentOutputs: ReadRecentOutputs };
  deliveries: OpenedDeliveries;
};

/** What starts runs by itself: schedules, webhooks and polls. */
export function openTriggers(ground: Ground, needs: Needs) {
  const { db, log, clock, tracing, config, isWorker } = ground;
  const { startRun, checkOverrides } = needs.runs;
  const loops = openLoops(ground, needs);
  const { secrets, registrations, webhookRemovals, receiveWebhook } = openWebhooks(ground, { ...needs, loops });
  const { polls, findSamples, findNewest, pollServices } = openPolls(ground, { ...needs, loops });
  const schedules = createSchedules({ db, startRun, log, tracing });
  const triggers = createTriggers({ db, secrets, registrations, polls, checkOverrides });
  const readAddress = createReadAddress({ db, secrets });
  const tryTrigger = createTryTrigger({ db, clock, startRun, polls, findNewest });
  return {
    ...triggers,
    tryTrigger,
    webhookRemovals,

    async register(server: FastifyInstance): Promise<void> {
      const { registerTriggersRoutes } = await import("./routes.ts");
      const { platform, keyLimitPerMinute: limitPerMinute } = config;
      const options = { triggers, tryTrigger, readAddress, findSamples, webhookRemovals, receiveWebhook };
      await registerTriggersRoutes(server, { ...options, platformBaseUrl: platform.baseUrl, limitPerMinute });
    },

    start(): void {
      if (!isWorker) return;
      webhookRemovals.start();
      schedules.start();
      pollServices.start();
    },

    async stop(): Promise<void> {
      await webhookRemovals.stop();
      await pollServices.stop();
      await schedules.stop();
    },
  };
}

type Loops = ReturnType<typeof openLoops>;

/** What turns off a trigger that starts itself, whichever way its events come. */
const openLoops = ({ db, log }: Ground, { catalog, workflows }: Needs) => ({
  db,
  log,
  findActingNodes: createFindActingNodes({ catalog, workflows }),
  turnOff: createTurnOff({ db, log, catalog }),
});

function openWebhooks({ db, log, config, outside }: Ground, needs: Needs & { loops: Loops }) {
  const { catalog, vault, workflows, runs, loops, deliveries } = needs;
  const { providers } = catalog;
  const { startRun, waitForAnswer } = runs;
  const secrets = createWebhookSecrets({ vault, providers, platformBaseUrl: config.platform.baseUrl });
  const callProvider = createCallProvider({ vault, providers, startCall: createStartCall(outside) });
  const stopLoops = createStopLoops({ ...loops, callProvider, mostPerMinute: config.ownEventsPerMinute });
  const titleOf = (providerId: string) => providers.find(({ id }) => id === providerId)?.title ?? providerId;
  const inTurn = createRegistrationTurns(db);
  const removeWebhook = createRemoveWebhook({ secrets, callProvider });
  const webhookRemovals = createWebhookRemovals({ db, log, inTurn, removeWebhook, titleOf });
  const registrations = createRegistrations({
    db,
    log,
    secrets,
    callProvider,
    inTurn,
    removeWebhook,
    titleOf,
    removals: webhookRemovals,
  });
  const receiveWebhook = createReceiveWebhook({
    db,
    log,
    startRun,
    waitForAnswer,
    deliveries,
    believe: createBelieveDelivery({ log, secrets }),
    judgeEvent: createJudgeEvent({ stopLoops, isFilterMet: createIsFilterMet(workflows.variables) }),
  });
  return { secrets, registrations, webhookRemovals, receiveWebhook };
}

function openPolls(
  { db, log, tracing, config, outside }: Ground,
  { catalog, vault, workflows, runs, loops }: Needs & { loops: Loops },
) {
  const { startRun, readRecentOutputs } = runs;
  const polls = createPolls({ providers: catalog.providers, vault });
  const openAccount = createOpenAccount({ vault, outside });
  const { find: findSamples, findNewest } = createFindSamples({ polls, openAccount });
  const stopOwnItems = createStopOwnItems({ ...loops, readRecentOutputs, most: config.ownEventsPerMinute });
  const lookForNew = createLookForNew({
    db,
    openAccount,
    takeItems: createTakeItems({
      db,
      startRun,
      stopOwnItems,
      isFilterMet: createIsFilterMet(workflows.variables),
      tracing,
    }),
  });
  const pollServices = createPollServices({ db, log, makeLook: createMakeLook({ db, log, polls, lookForNew }) });
  return { polls, findSamples, findNewest, pollServices };
}
