import { eachInParallel } from "../../base/each-in-parallel.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import { factsOfFailure, type Tracing } from "../../base/tracing.ts";
import type { Database } from "../../storage/database.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import type { StartRun } from "../accept/start-run.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import { type FailedRun, settle, takeDue } from "./failed-run-store.ts";
import { createStartLimit } from "./limit-starts.ts";
import { requestOfFailure } from "./request-of-failure.ts";

type Options = {
  db: Database;
  startRun: StartRun;
  workflows: Pick<Workflows, "versionCanvas">;
  log: Log;
  tracing: Tracing;
  platformBaseUrl: string;
  lookEveryMs?: number;
};

const dueAtOnce = 100;
const startsAtOnce = 8;

/**
 * Starts the error workflows of runs that failed. Any number of processes do it at the same time: each takes some for a while, and the start of a run takes
 * the note of the failed one away in the same transaction, so that whoever comes second finds none.
 */
export function createErrorWorkflows(options: Options) {
  const { db, startRun, workflows, log, tracing, platformBaseUrl, lookEveryMs = 1_000 } = options;
  const limit = createStartLimit();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function start(failed: FailedRun, run: NonNullable<FailedRun["run"]>): Promise<void> {
    const { organizationId, errorWorkflowId } = failed;
    const canvas = await workflows.versionCanvas(organizationId, run.workflowId, run.workflowVersion);
    const trace = tracing.follow().begin("error workflow", {
      "switchyard.organization.id": organizationId,
      "switchyard.workflow.id": errorWorkflowId,
    });
    let isTaken = false;
    try {
      await startRun({
        ...requestOfFailure(failed, run, { canvas, platformBaseUrl, trace }),
        async alsoInsert(sql) {
          isTaken = !(await settle(sql, failed));
          if (isTaken) throw new Refusal("conflict", "The error workflow of this run was started already.");
        },
      });
      trace.end();
    } catch (error) {
      if (isTaken) return;
      trace.end(factsOfFailure(error));
      throw error;
    }
  }

  async function handle(failed: FailedRun): Promise<void> {
    const { organizationId, runId, errorWorkflowId: workflowId, run } = failed;
    try {
      if (run && limit.take({ organizationId, workflowId: run.workflowId })) await start(failed, run);
      else await settle(onPool(db), failed);
    } catch (error) {
      const place = { err: error, organizationId, runId, workflowId };
      log.warn(place, "An error workflow could not be started.");
      if (isFinal(error)) await settle(onPool(db), failed);
    }
  }

  async function startDue(): Promise<void> {
    for (const left of limit.takeLeft())
      log.warn(left, "A workflow failed so often that its error workflow was not started for each failure.");
    const due = await takeDue(db, dueAtOnce);
    await eachInParallel(due, handle, { most: startsAtOnce, isStopping: () => isStopped });
  }

  function lookAgainLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = startDue()
        .catch((error: unknown) => log.warn({ err: error }, "Failed runs could not be looked at."))
        .then(lookAgainLater);
    }, lookEveryMs);
  }

  return {
    start: lookAgainLater,
    /** Waits for the runs that are being started. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** It is turned off, was never published or is deleted: that does not change by waiting a little. */
const isFinal = (error: unknown): boolean => error instanceof Refusal && error.status < 500 && error.status !== 429;
