import { setTimeout as delay } from "node:timers/promises";
import type { WorkflowApp } from "../support/runs/workflow-app.ts";

export const hasEnded = (status: string): boolean => ["succeeded", "failed", "cancelled"].includes(status);

const pauseMs = 80;
const pausesBetweenReminders = 10;

/** Looks at the list of runs for everybody who waits for one: each of them asking for their own would be most of the work of a check. */
export function watchEnds({ owner: { browser }, path }: Pick<WorkflowApp, "owner" | "path">) {
  const waiting = new Map<string, () => void>();
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    for (let round = 1; waiting.size > 0; round++) {
      await delay(pauseMs);
      const ended = await listEnded();
      // Older runs are not on the first page, so now and then everybody looks for themselves.
      for (const id of round % pausesBetweenReminders === 0 ? [...waiting.keys()] : ended) tell(id);
    }
    isLooking = false;
  }

  /** Nothing where there is no answer: whoever waits is reminded and learns what is wrong. */
  async function listEnded(): Promise<string[]> {
    const { body } = await browser.get(`${path}/runs?limit=100`).catch(() => ({ body: undefined }));
    const runs = (body?.data ?? []) as { id: string; status: string }[];
    return runs.filter(({ status }) => hasEnded(status)).map(({ id }) => id);
  }

  function tell(id: string): void {
    waiting.get(id)?.();
    waiting.delete(id);
  }

  return {
    /** Resolves when a run has ended, or some time has passed. */
    async hint(id: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      if (!isLooking) void look();
      await promise;
    },
  };
}
