import { openCalls } from "./calls/open-calls.ts";
import { createStartCall } from "./calls/start-call.ts";
import { createOrganizationRemoval } from "./identity/remove-organizations.ts";
import type { Parts } from "./parts.ts";
import { openRuns } from "./runs/open-runs.ts";
import type { Runs } from "./runs/runs.ts";
import { openSlots } from "./slots/open-slots.ts";
import { createFindActingNodes } from "./triggers/acting-nodes.ts";
import { createBelieveDelivery } from "./triggers/believe-delivery.ts";
import { createCallProvider } from "./triggers/call-provider.ts";
import { createSchedules } from "./triggers/fire-schedules.ts";
import { createJudgeEvent } from "./triggers/judge-event.ts";
import { createPolls } from "./triggers/polls/find-poll.ts";
import { createFindSamples } from "./triggers/polls/find-samples.ts";
import { createLookForNew } from "./triggers/polls/look-for-new.ts";
import { createMakeLook } from "./triggers/polls/make-look.ts";
import { createOpenAccount } from "./triggers/polls/open-account.ts";
import { createStopOwnItems } from "./triggers/polls/stop-own-items.ts";
import { createTakeItems } from "./triggers/polls/take-items.ts";
import { createWatchServices } from "./triggers/polls/watch-services.ts";
import { createReceiveWebhook } from "./triggers/receive-webhook.ts";
import { createRegistrationTurns } from "./triggers/registration-turns.ts";
import { createRegistrations } from "./triggers/registrations.ts";
import { createRemoveWebhook } from "./triggers/remove-webhook.ts";
import { createStopLoops } from "./triggers/stop-loops.ts";
import { createTriggers } from "./triggers/triggers.ts";
import { createTryTrigger } from "./triggers/try-trigger.ts";
import { createTurnOff } from "./triggers/turn-off.ts";
import { createWebhookRemovals, type WebhookRemovals } from "./triggers/webhook-removals.ts";
import { createWebhookSecrets } from "./triggers/webhook-secrets.ts";

export type Running = ReturnType<typeof openRunning>;

type RunningContext = Parts["ground"];

/** What calls tools and runs workflows, on top of the parts. */
export function openRunning(parts: Parts) {
  const { ground: context } = parts;
  const { isWorker } = context;
  const slots = openSlots(context, parts.plans);
  const calls = openCalls(context, { ...parts, slots });
  const runs = openRuns(context, { ...parts, slots, calls });
  const { schedules, watchServices, webhookRemovals, ...triggers } = openTriggers(parts, runs, context);
  const removals = openRemovals(parts, { ending: runs.ending, webhookRemovals });
  return {
    ...removals.remove,
    removeDeleted: removals.run,
    webhookRemovals,
    slots,
    runs,
    ...triggers,
    calls,

    async start(): Promise<void> {
      await slots.start();
      await runs.start();
      if (!isWorker) return;
      parts.events.start();
      removals.start();
      webhookRemovals.start();
      schedules.start();
      watchServices.start();
      parts.vault.start();
    },

    /** After the doors: what they began may still need all of this. */
    async stop(): Promise<void> {
      await parts.vault.stop();
      await webhookRemovals.stop();
      await removals.stop();
      await watchServices.stop();
      await schedules.stop();
      await runs.stop();
      await slots.stop();
    },
  };
}

type Ended = Pick<Runs, "ending"> & { webhookRemovals: WebhookRemovals };

/** What is deleted together with its runs, and with its webhooks at providers. */
function openRemovals({ ground, identity: { organizations }, workflows }: Parts, { ending, webhookRemovals }: Ended) {
  const { db, log } = ground;
  const removal = createOrganizationRemoval({ db, log, endRuns: (organizationId) => ending.endAll({ organizationId }) });
  const remove = {
    async removeWorkflow(place: { organizationId: string; workflowId: string }): Promise<void> {
      await ending.markAndEnd(place, async (sql) => {
        await workflows.markDeleted(sql, place);
        await webhookRemovals.noteThoseOfWorkflow(sql, place);
      });
      await webhookRemovals.runFor(place.organizationId);
    },
    async removeOrganization(organizationId: string): Promise<void> {
      await ending.markAndEnd({ organizationId }, async (sql) => {
        // Its triggers are gone once it is marked; of its accounts those stay that its webhooks are removed with.
        await webhookRemovals.noteThoseOfOrganization(sql, organizationId);
        await organizations.markDeleted(sql, organizationId);
      });
      await webhookRemovals.runFor(organizationId);
      void removal.run();
    },
  };
  return { ...removal, remove };
}

function openTriggers(
  { vault, catalog, workflows }: Parts,
  { startRun, waitForAnswer, checkOverrides, readRecentOutputs }: ReturnType<typeof openRuns>,
  context: RunningContext,
) {
  const { config, log, tracing, db, outside } = context;
  const secrets = createWebhookSecrets({ vault, providers: catalog.providers, platformBaseUrl: config.platform.baseUrl });
  const callProvider = createCallProvider({ vault, providers: catalog.providers, startCall: createStartCall(outside) });
  const loops = { db, log, findActingNodes: createFindActingNodes({ catalog, workflows }), turnOff: createTurnOff({ db, log, catalog }) };
  const stopLoops = createStopLoops({ ...loops, callProvider, mostPerMinute: config.ownEventsPerMinute });
  const titleOf = (providerId: string) => catalog.providers.find(({ id }) => id === providerId)?.title ?? providerId;
  const polls = createPolls({ providers: catalog.providers, vault });
  const openAccount = createOpenAccount({ vault, outside });
  const { find: findSamples, findNewest } = createFindSamples({ polls, openAccount });
  const stopOwnItems = createStopOwnItems({
    ...loops,
    readRecentOutputs,
    most: config.ownEventsPerMinute,
  });
  const lookForNew = createLookForNew({ db, openAccount, takeItems: createTakeItems({ db, startRun, stopOwnItems, tracing }) });
  const [inTurn, removeWebhook] = [createRegistrationTurns(db), createRemoveWebhook({ secrets, callProvider })];
  const webhookRemovals = createWebhookRemovals({ db, log, inTurn, removeWebhook, titleOf });
  const registrations = createRegistrations({
    ...{ db, log, secrets, callProvider, inTurn, removeWebhook, titleOf },
    removals: webhookRemovals,
  });
  return {
    webhookRemovals,
    triggers: createTriggers({ db, secrets, registrations, polls, checkOverrides }),
    tryTrigger: createTryTrigger({ db, clock: outside.clock, startRun, polls, findNewest }),
    findSamples,
    receiveWebhook: createReceiveWebhook({
      ...{ db, log, startRun, waitForAnswer },
      believe: createBelieveDelivery({ log, secrets }),
      judgeEvent: createJudgeEvent({ stopLoops }),
    }),
    schedules: createSchedules({ db, startRun, log, tracing }),
    watchServices: createWatchServices({ db, log, makeLook: createMakeLook({ db, log, polls, lookForNew }) }),
  };
}
