import type { FastifyInstance } from "fastify";
import type { Calls } from "../calls/open-calls.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ground } from "../ground/ground.ts";
import type { Live } from "../records/live.ts";
import type { Partitions } from "../records/partitions.ts";
import type { Slots } from "../slots/slots.ts";
import type { Vault } from "../vault/vault.ts";
import { createChooseModel, modelCredentialTypes } from "../workflows/choose-model.ts";
import { engineNodes } from "../workflows/engine-nodes/engine-nodes.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createCheckOverrides } from "./accept/check-overrides.ts";
import { createErrorWorkflows } from "./errors/start-error-workflows.ts";
import { createCountStarts } from "./read/count-starts.ts";
import { createPreview } from "./read/preview.ts";
import { createReadRecentOutputs } from "./read/recent-outputs.ts";
import { createRunFiles } from "./read/run-files.ts";
import { createCountRuns } from "./read/run-usage.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createDatabaseClock, type DatabaseClock } from "./walk/database-clock.ts";
import { createAskModel } from "./walk/node/ask-model.ts";
import { createExecuteNode } from "./walk/node/execute-node.ts";
import { createExecuteOnce } from "./walk/node/execute-once.ts";
import { fillPreviewLimitSeconds } from "./wire.ts";

type Needs = {
  catalog: Catalog;
  vault: Vault;
  workflows: Workflows;
  history: { live: Live; partitions: Partitions };
  slots: Slots;
  calls: Pick<Calls, "prepare" | "execute">;
};

/** Runs of workflows, with the clock that all processes share. */
export function openRuns(ground: Ground, { history: { live, partitions }, slots, ...needs }: Needs) {
  const { db, target, pooled, log, tracing, slowStatements, config, metrics, isWorker } = ground;
  const { catalog, vault, workflows } = needs;
  const clock = createDatabaseClock({ db, log, before: ground.clock });
  const { executeOnce, askModel } = openNodes(ground, { clock, ...needs });
  const runs = createRuns({
    db,
    target,
    pooled,
    clock,
    log,
    tracing,
    workflows,
    slots,
    live,
    partitions,
    slowStatements,
    observe: { ...metrics.observeRuns, retention: (removed) => metrics.observeRetention("runs", removed) },
    checkOverrides: createCheckOverrides({ catalog, vault, modelTypes: modelCredentialTypes }),
    nodes: {
      executeNode: createExecuteNode({ clock, executeOnce, findStoredOf: vault.findSecretsOf }),
      isPure: executeOnce.isPure,
      findStoredOf: vault.findSecretsOf,
    },
    writes: executeOnce.writes,
    mostRuns: isWorker ? config.maxRunsAtOnce : 0,
    limitMs: config.maxRunTimeMs,
    mostCalls: (organizationId) =>
      config.maxCallsPerRun ?? slots.capHere(organizationId) ?? config.maxConcurrentExecutions,
    keptDays: config.historyRetentionDays,
    keptRuns: config.historyMaxRows,
  });
  const errorWorkflows = openErrorWorkflows(ground, { runs, workflows });
  metrics.watchPool("runs", runs.poolCounts);
  metrics.watchActiveRuns(runs.counts);
  metrics.watchRunQueue(runs.queueCounts);
  return {
    ...runs,
    readRecentOutputs: createReadRecentOutputs({ db }),
    countRuns: createCountRuns({ db }),

    async register(server: FastifyInstance): Promise<void> {
      const { registerRunsRoutes } = await import("./routes.ts");
      const preview = createPreview({
        workflows,
        runs: runs.list,
        executeOnce,
        askModel,
        limitMs: previewLimitMs(config),
      });
      const { keyLimitPerMinute, platform } = config;
      const countStarts = createCountStarts({ db, workflows });
      registerRunsRoutes(server, { runs, preview, countStarts, platformBaseUrl: platform.baseUrl, keyLimitPerMinute });
    },

    async start(): Promise<void> {
      await clock.start();
      await runs.start();
      if (isWorker) errorWorkflows.start();
    },

    async stop(): Promise<void> {
      await errorWorkflows.stop();
      await runs.stop();
      clock.stop();
    },
  };
}

function openErrorWorkflows(
  { db, log, tracing, config }: Ground,
  { runs: { startRun }, workflows }: { runs: Pick<Runs, "startRun">; workflows: Workflows },
) {
  return createErrorWorkflows({ db, startRun, workflows, log, tracing, platformBaseUrl: config.platform.baseUrl });
}

type NodeNeeds = Pick<Needs, "catalog" | "vault" | "calls"> & { clock: DatabaseClock };

/** What executes a node once, and what asks a model for the fields a person left to it. */
function openNodes(
  { db, log, config, outside }: Ground,
  { catalog, vault, calls: { prepare, execute }, clock }: NodeNeeds,
) {
  const chooseModel = createChooseModel({ config: config.ai, models: config.models, fetch: outside.fetch, vault });
  const askModel = createAskModel({ catalog, chooseModel });
  const executeOnce = createExecuteOnce({
    catalog,
    engineNodes,
    clock,
    log,
    ...askModel,
    limitMs: config.maxExecutionTimeMs,
    prepare,
    execute,
    defaultReferenceFor: vault.defaults.referenceFor,
    files: createRunFiles({ db }),
  });
  return { executeOnce, askModel };
}

/** Somebody sits in front of the page and waits. */
const previewLimitMs = ({ maxExecutionTimeMs }: Ground["config"]): number =>
  Math.min(maxExecutionTimeMs, fillPreviewLimitSeconds * 1000);
