import type { Log } from "../base/log.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import type { CallEnd } from "./store.ts";

const most = 10_000;
const mostTextLength = 64 * 1024 * 1024;

/**
 * Ends of calls that could not be written. Their callers were told, but the rows would stay open for as long as this process lives,
 * so the ends are written when the database is back.
 */
export function createUnsettled({ write, log }: { write: (end: CallEnd) => Promise<void>; log: Log }) {
  const ends = new Map<string, CallEnd>();
  let textLength = 0;

  const forget = (id: string): void => {
    textLength -= ends.get(id)?.outputs?.length ?? 0;
    ends.delete(id);
  };

  async function settleOne(end: CallEnd): Promise<void> {
    try {
      await write(end);
      forget(end.id);
    } catch (error) {
      // Any other failure stays one: the row was never written, or it cannot be.
      if (!isDatabaseUnavailable(error)) forget(end.id);
    }
  }

  return {
    forget,

    keep(end: CallEnd): void {
      if (ends.has(end.id)) return;
      if (ends.size >= most) {
        log.error({ callId: end.id }, "the end of a call is not recorded: too many wait for the database");
        return;
      }
      const kept =
        textLength + (end.outputs?.length ?? 0) > mostTextLength ? { ...end, outputs: null, truncated: true } : end;
      ends.set(kept.id, kept);
      textLength += kept.outputs?.length ?? 0;
    },

    async settle(): Promise<void> {
      await Promise.all([...ends.values()].map(settleOne));
    },
  };
}
