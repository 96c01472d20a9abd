import { Refusal } from "../../base/refusal.ts";
import type { AdoptedRun } from "../store.ts";
import type { Claim } from "./run-queue.ts";

export type ActiveRun = {
  run: AdoptedRun;
  claim: Claim;
  abort: AbortController;
  waitsForSlot: boolean;
  ended: Promise<void>;
};

/** How many runs of one organization may wait here for a slot: enough to use the next one at once, too few to keep others out. */
const mostWaiting = 2;

/** The runs this process works on. */
export function createActiveRuns() {
  const active = new Map<string, ActiveRun>();

  return {
    size: () => active.size,
    countWaiting: () => [...active.values()].filter(({ waitsForSlot }) => waitsForSlot).length,
    claims: () => [...active.values()].map(({ claim }) => claim),
    isHere: (claim: Claim) => active.get(claim.id)?.claim === claim,

    add(run: AdoptedRun, claim: Claim, work: (entry: ActiveRun) => Promise<void>): ActiveRun {
      const entry: ActiveRun = {
        run,
        claim,
        abort: new AbortController(),
        waitsForSlot: true,
        ended: Promise.resolve(),
      };
      active.set(run.id, entry);
      entry.ended = work(entry).finally(() => {
        if (active.get(run.id) === entry) active.delete(run.id);
      });
      return entry;
    },

    /** Organizations whose next runs would only wait. */
    crowded(): string[] {
      const waiting = new Map<string, number>();
      for (const { run, waitsForSlot } of active.values())
        if (waitsForSlot) waiting.set(run.organizationId, (waiting.get(run.organizationId) ?? 0) + 1);
      return [...waiting].filter(([, count]) => count >= mostWaiting).map(([organizationId]) => organizationId);
    },

    lose(id: string, reason: "lost" | "cancelled"): void {
      active.get(id)?.abort.abort(new Refusal("cancelled", `The run was ${reason}.`));
    },

    /** Ends those that only wait for a slot at once, and the others when they have not ended by themselves in time. */
    async stop(patienceMs: number): Promise<void> {
      const abort = ({ abort: one }: ActiveRun) => one.abort(new Refusal("shutting_down", "The server is stopping."));
      const entries = [...active.values()];
      entries.filter(({ waitsForSlot }) => waitsForSlot).forEach(abort);
      const impatience = setTimeout(() => [...active.values()].forEach(abort), patienceMs);
      await Promise.all(entries.map(({ ended }) => ended)).finally(() => clearTimeout(impatience));
    },
  };
}
