import { createBatch } from "../base/batch.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { ConnectionTarget } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import {
  type AcquireOptions,
  acquireLocally,
  addNews,
  isLeaseValid,
  type Local,
  refuseWaiters,
  reportIfNeeded,
  type Slot,
  shareOf,
  takeAnswer,
  takeEverything,
  takeMessage,
  takeNews,
  tellPositions,
} from "./slots-local.ts";
import { createSlotSession, type SlotSession } from "./slots-session.ts";
import type { Share } from "./slots-share.ts";

export type { Slot } from "./slots-local.ts";

export type Slots = ReturnType<typeof createSlots>;

/** How many slots each organization has; may change at any time. An organization that is missing in the answer has none to give. */
export type CapOf = (organizationIds: string[]) => Promise<Map<string, number>>;

type SlotsOptions = {
  target: ConnectionTarget;
  capOf: CapOf;
  /** How many calls of one organization may wait in this process. */
  queueLimit: number;
  log: Log;
  leaseMs?: number;
  monotonicMs?: () => number;
};

/**
 * One first-come-first-served pool of slots per organization, shared by all processes of a database.
 * Each process keeps the permits it was granted and asks the database only when they do not suffice or others wait for them.
 */
export function createSlots({
  target,
  capOf,
  queueLimit,
  log,
  leaseMs = 10_000,
  monotonicMs = () => performance.now(),
}: SlotsOptions) {
  const local: Local = {
    shares: new Map(),
    news: new Set(),
    queueLimit,
    monotonicMs,
    log,
    lease: () => session.lease(),
    wake: () => session.wake(),
    askCap: (share) => caps.ask(share),
  };
  const caps = createCaps(local, capOf);
  const hearers = new Set<(word: string) => void>();
  const session = createSlotSession({
    target,
    leaseMs,
    monotonicMs,
    log,
    subject: {
      reportAll: (session) => takeEverything(local, session),
      reportNews: () => takeNews(local),
      onState: (state) => takeAnswer(local, state),
      onMessage: (state) => takeMessage(local, state),
      onWord: (word) => hearers.forEach((hear) => void hear(word)),
      onBadReport: (organizationId, error) => giveUp(local, organizationId, error),
    },
  });
  const upkeep = createUpkeep({ local, session, caps, leaseMs });
  let closing: Promise<void> | undefined;

  return {
    async start(): Promise<void> {
      await session.start();
      upkeep.start();
    },

    async acquire(organizationId: string, options: AcquireOptions): Promise<Slot> {
      if (closing) throw shuttingDown();
      return await acquireLocally(local, organizationId, options);
    },

    /** To be told on one process; the others learn it from there. */
    capChanged(organizationId: string): void {
      if (!closing) caps.ask(shareOf(local, organizationId));
    },

    counts: () => countAll(local),

    /** Of all organizations that this process works for. */
    cap: () => [...local.shares.values()].reduce((sum, { cap = 0 }) => sum + cap, 0),

    /** Of one organization in this process. */
    useHere: (organizationId: string) => countShare(local, organizationId),

    /** How many slots an organization has, as far as this process knows. */
    capHere: (organizationId: string): number | undefined => local.shares.get(organizationId)?.cap,

    /** What the database knows this process as while it is connected. */
    workerId: session.workerId,

    /** What any process says to all. */
    onWord: (hear: (word: string) => void): void => void hearers.add(hear),

    /** Refuses who waits and gives everything back. */
    close(): Promise<void> {
      upkeep.stop();
      for (const share of closing ? [] : [...local.shares.values()]) refuseWaiters(local, share, shuttingDown());
      closing ??= session.close();
      return closing;
    },
  };
}

const shuttingDown = () => new Refusal("shutting_down", "The server is stopping.");

function countShare({ shares, monotonicMs }: Local, organizationId: string) {
  const share = shares.get(organizationId);
  if (!share) return { used: 0, usedByRuns: 0, waiting: 0, oldestWaitMs: null };
  // They stand in the order in which they came.
  const [oldest] = share.waiting;
  const oldestWaitMs = oldest ? monotonicMs() - oldest.sinceMs : null;
  return { used: share.used, usedByRuns: share.usedByRuns, waiting: share.waiting.size, oldestWaitMs };
}

/** In this process. */
function countAll({ shares }: Local) {
  const total = { held: 0, used: 0, waiting: 0 };
  for (const { held, used, waiting } of shares.values()) {
    total.held += held;
    total.used += used;
    total.waiting += waiting.size;
  }
  return total;
}

function giveUp(local: Local, organizationId: string, error: unknown): void {
  local.log.error({ err: error, organizationId }, "The slots of an organization could not be reported.");
  const share = local.shares.get(organizationId);
  if (!share) return;
  share.isSyncing = false;
  share.ticketsTold = 0;
  refuseWaiters(local, share, error);
}

type Caps = ReturnType<typeof createCaps>;

function createCaps(local: Local, capOf: CapOf) {
  const batch = createBatch<string, number | undefined>({
    maxItems: 500,
    isFatal: isDatabaseUnavailable,
    async flush(organizationIds) {
      const caps = await capOf(organizationIds);
      return organizationIds.map((organizationId) => caps.get(organizationId));
    },
  });

  async function ask(share: Share<Slot>): Promise<void> {
    const { cap, error } = await batch.add(share.organizationId).then(
      (answer) => ({ cap: answer, error: new Refusal("not_found", "There is no such organization.") }),
      (reason: unknown) => ({ cap: undefined, error: reason }),
    );
    if (local.shares.get(share.organizationId) !== share) return;
    if (cap === undefined) failToAsk(local, share, error);
    else if (cap !== share.cap) {
      share.cap = cap;
      share.capNews = cap;
      addNews(local, share);
    }
  }

  return { ask: (share: Share<Slot>): void => void ask(share) };
}

/** With a known cap it goes on as before, unless the organization is gone. */
function failToAsk(local: Local, share: Share<Slot>, error: unknown): void {
  const isGone = error instanceof Refusal && error.code === "not_found";
  if (share.cap !== undefined && !isGone) return;
  refuseWaiters(local, share, error);
  reportIfNeeded(local, share);
}

const upkeepMs = 500;
const beatsPerLease = 4;
const idleMs = 5_000;
// Together with the time until the next upkeep less than two seconds.
const awayLimitMs = 1_400;

type UpkeepOptions = { local: Local; session: SlotSession; caps: Caps; leaseMs: number };

/** Everything that happens because time passes. */
function createUpkeep({ local, session, caps, leaseMs }: UpkeepOptions) {
  let timer: NodeJS.Timeout | undefined;
  let lastBeatAtMs = local.monotonicMs();

  function run(): void {
    const nowMs = local.monotonicMs();
    const isBeatDue = nowMs - lastBeatAtMs >= leaseMs / beatsPerLease;
    for (const share of local.shares.values()) {
      tend(share, nowMs);
      if (isBeatDue) caps.ask(share);
    }
    if (!isBeatDue) return;
    lastBeatAtMs = nowMs;
    session.beat();
  }

  function tend(share: Share<Slot>, nowMs: number): void {
    if (share.waiting.size > 0) tendWaiters(share, nowMs);
    else if (share.held > share.used && nowMs - share.lastUsedAtMs >= idleMs) {
      share.mustReturnIdle = true;
      addNews(local, share);
    } else reportIfNeeded(local, share);
  }

  function tendWaiters(share: Share<Slot>, nowMs: number): void {
    const awaySinceMs = session.awaySinceMs();
    const isHopeless = awaySinceMs !== undefined && !(share.held > 0 && isLeaseValid(local));
    for (const waiter of share.waiting) {
      if (!isHopeless || nowMs - Math.max(awaySinceMs, waiter.sinceMs) < awayLimitMs) continue;
      share.waiting.delete(waiter);
      waiter.refuse(new Refusal("database_unavailable", "The database cannot be reached right now."));
    }
    tellPositions(share);
    addNews(local, share);
  }

  return {
    start(): void {
      timer ??= setInterval(run, Math.min(upkeepMs, leaseMs / beatsPerLease));
    },
    stop: () => clearInterval(timer),
  };
}
