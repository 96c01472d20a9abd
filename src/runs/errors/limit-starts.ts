type Failing = { organizationId: string; workflowId: string };
type Minute = Failing & { endsAt: number; started: number; left: number };

const mostInMinute = 20;
const minuteMs = 60_000;

/** Keeps a workflow that fails all the time from filling the queue with runs of its error workflow. Each process counts its own. */
export function createStartLimit(now: () => number = Date.now) {
  const minutes = new Map<string, Minute>();

  return {
    /** Whether one more may be started; it counts as started then. */
    take({ organizationId, workflowId }: Failing): boolean {
      const minute = minutes.get(workflowId) ?? {
        organizationId,
        workflowId,
        endsAt: now() + minuteMs,
        started: 0,
        left: 0,
      };
      minutes.set(workflowId, minute);
      const isFree = minute.started < mostInMinute;
      if (isFree) minute.started += 1;
      else minute.left += 1;
      return isFree;
    },

    /** How many were left, of each workflow whose minute is over. */
    takeLeft(): (Failing & { left: number })[] {
      const over = [...minutes.values()].filter(({ endsAt }) => endsAt <= now());
      for (const { workflowId } of over) minutes.delete(workflowId);
      return over
        .filter(({ left }) => left > 0)
        .map(({ organizationId, workflowId, left }) => ({ organizationId, workflowId, left }));
    },
  };
}
