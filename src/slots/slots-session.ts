import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { ConnectionTarget } from "../storage/database.ts";
import { asRefusalWhenUnavailable, isDatabaseUnavailable } from "../storage/database-errors.ts";
import { openSlotLink, type SlotLink, type SlotReport, type SlotState } from "./slot-store.ts";

/** Permits may be used until the deadline, which every beat that the database confirms moves on; once lost they never come back. */
export type Lease = { deadlineMs: number; isLost: boolean };

export type SlotSession = ReturnType<typeof createSlotSession>;

/** What the session talks about. */
type Subject = {
  /** Everything that is held, said anew on a new connection; when the lease was lost nothing is held any more. */
  reportAll: (session: { isLost: boolean }) => SlotReport[];
  reportNews: () => SlotReport[];
  onState: (state: SlotState) => void;
  onMessage: (state: SlotState) => void;
  onWord: (word: string) => void;
  onBadReport: (organizationId: string, error: unknown) => void;
};

type SessionOptions = {
  target: ConnectionTarget;
  leaseMs: number;
  monotonicMs: () => number;
  log: Log;
  subject: Subject;
};

type Session = SessionOptions & {
  lease: Lease;
  link: SlotLink | undefined;
  /** Ids this process joined with since it last knew that one of them counts. */
  earlierIds: string[];
  awaySinceMs: number | undefined;
  isBeatDue: boolean;
  isWoken: boolean;
  sentAtMs: number;
  talking: Promise<void> | undefined;
  reconnecting: Promise<void> | undefined;
  closing: AbortController;
};

/** Keeps one connection: sends reports one after the other, beats, and connects again by itself when it is lost. */
export function createSlotSession(options: SessionOptions) {
  const session: Session = {
    ...options,
    lease: { deadlineMs: Number.NEGATIVE_INFINITY, isLost: true },
    link: undefined,
    earlierIds: [],
    awaySinceMs: options.monotonicMs(),
    isBeatDue: false,
    isWoken: false,
    sentAtMs: 0,
    talking: undefined,
    reconnecting: undefined,
    closing: new AbortController(),
  };
  return {
    lease: () => session.lease,
    awaySinceMs: () => session.awaySinceMs,
    workerId: () => session.link?.workerId,

    async start(): Promise<void> {
      await connect(session).catch((error: unknown) => {
        throw asRefusalWhenUnavailable(error);
      });
    },

    /** There is news to report. What the same turn of the event loop adds goes along. */
    wake: () => wake(session),

    beat(): void {
      session.isBeatDue = true;
      wake(session);
    },

    /** Gives everything back, also what is in use. */
    async close(): Promise<void> {
      session.closing.abort();
      await session.talking;
      await session.reconnecting;
      session.lease.isLost = true;
      const { link } = session;
      session.link = undefined;
      if (!link) return;
      try {
        await link.sync(session.subject.reportAll({ isLost: true }), { isComplete: false });
        await link.leave();
      } catch (error) {
        session.log.warn(
          { reason: reasonOf(error) },
          "The slots could not be given back; they are free when their lease ends.",
        );
      } finally {
        link.end();
      }
    },
  };
}

// The part of the lease that is left for a request to be on its way after its deadline was checked.
const safetyPart = 0.1;
const firstPauseMs = 50;
const longestPauseMs = 500;

async function connect(session: Session): Promise<void> {
  const { target, subject, leaseMs, monotonicMs } = session;
  const workerId = newId();
  const link = await openSlotLink({
    target,
    workerId,
    onWord: subject.onWord,
    onMessage: (state) => (state ? subject.onMessage(state) : drop(session, workerId, "declared dead")),
    onEnd: () => drop(session, workerId, "connection ended"),
  });
  try {
    const sentAtMs = monotonicMs();
    const { earlierIds } = session;
    session.earlierIds = [...earlierIds, workerId];
    const isLost = !(await link.join({ earlierIds, leaseMs }));
    session.earlierIds = [workerId];
    if (isLost) {
      session.lease.isLost = true;
      session.lease = { deadlineMs: 0, isLost: false };
    }
    session.lease.deadlineMs = deadlineOf(session, sentAtMs);
    await report(session, link, { reports: subject.reportAll({ isLost }), isComplete: true });
    session.link = link;
    session.awaySinceMs = undefined;
    wake(session);
  } catch (error) {
    link.end();
    throw error;
  }
}

const deadlineOf = ({ leaseMs }: Session, sentAtMs: number): number => sentAtMs + leaseMs * (1 - safetyPart);

function wake(session: Session): void {
  session.isWoken = true;
  session.talking ??= Promise.resolve().then(() => talk(session));
}

async function talk(session: Session): Promise<void> {
  const { link } = session;
  try {
    while (link && session.link === link && session.isWoken) await talkOnce(session, link);
  } catch (error) {
    if (link) drop(session, link.workerId, reasonOf(error));
  } finally {
    session.talking = undefined;
  }
}

async function talkOnce(session: Session, link: SlotLink): Promise<void> {
  session.isWoken = false;
  session.sentAtMs = session.monotonicMs();
  if (session.isBeatDue) await beat(session, link);
  const reports = session.subject.reportNews();
  if (reports.length === 0) return;
  await report(session, link, { reports, isComplete: false });
  // There may be more than fits into one report.
  session.isWoken = true;
}

async function beat(session: Session, link: SlotLink): Promise<void> {
  session.isBeatDue = false;
  const sentAtMs = session.monotonicMs();
  if (!(await link.beat())) throw new Error("declared dead");
  session.lease.deadlineMs = deadlineOf(session, sentAtMs);
}

/** A report the database cannot take must not keep the others from it: then each is sent alone. */
async function report(
  session: Session,
  link: SlotLink,
  batch: { reports: SlotReport[]; isComplete: boolean },
): Promise<void> {
  const { subject } = session;
  try {
    for (const state of await link.sync(batch.reports, { isComplete: batch.isComplete })) subject.onState(state);
  } catch (error) {
    const [first, ...others] = batch.reports;
    if (isDatabaseUnavailable(error) || first === undefined) throw error;
    if (others.length === 0) subject.onBadReport(first.organizationId, error);
    else for (const one of batch.reports) await report(session, link, { reports: [one], isComplete: false });
    if (batch.isComplete) await report(session, link, { reports: [], isComplete: true });
  }
}

function drop(session: Session, workerId: string, reason: string): void {
  const { link } = session;
  if (link?.workerId !== workerId) return;
  link.end();
  session.link = undefined;
  // What was sent last may have gone unanswered since then.
  session.awaySinceMs = session.talking ? session.sentAtMs : session.monotonicMs();
  session.log.warn({ reason }, "The connection for slots was lost; connecting again.");
  session.reconnecting = reconnect(session);
}

async function reconnect(session: Session): Promise<void> {
  const { signal } = session.closing;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      await connect(session);
      session.log.info("The connection for slots is back.");
      return;
    } catch {
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
