import { createHub } from "../base/hub.ts";
import type { Log } from "../base/log.ts";
import type { ConnectionTarget, Database } from "../storage/database.ts";
import { readNowMicroseconds } from "../storage/database-time.ts";
import { type Listener, listen } from "../storage/listen.ts";
import { runForAll } from "../storage/page-work.ts";
import { createAnnounce, readAnnouncement } from "./announce.ts";

/** A thing as it is after a change. `version` is when it changed, in microseconds by the clock of the database. */
export type LiveEvent = { kind: string; id: string; version: number; data: unknown };

/** One kind of thing whose changes are streamed. */
export type LiveSource = {
  find: (organizationId: string, ids: string[]) => Promise<LiveEvent[]>;
  /** Oldest first. */
  listChanged: (
    organizationId: string,
    sinceMicroseconds: number,
    limit: number,
  ) => Promise<{ id: string; version: number }[]>;
};

/** `cursor`: everything that changed before it, less the overlap, has been delivered. No event: too much changed, so lists must be read anew. */
export type Delivery = { cursor: number; event?: LiveEvent };

type LiveOptions = {
  db: Database;
  target: ConnectionTarget;
  log: Log;
  sources: Record<string, LiveSource>;
  pollIntervalMs?: number;
};

type Feed = { organizationId: string; since: number; delivered: Map<string, number> };

export type Live = ReturnType<typeof createLive>;

const channel = "switchyard_live";

// Moments are taken when a statement begins and rows appear when it commits. The database ends every statement within 9.5 s, so rows
// that appear later than this are none of ours.
const overlapMicroseconds = 12_000_000;
const mostCaughtUp = 2_000;
const mostPolled = 50_000;
const pageSize = 500;

/**
 * Tells subscribers of this process what any process changed. What is announced is only a hint: rows are read again, and a regular
 * look at what changed lately finds what no hint told of.
 */
export function createLive({ db, target, log, sources, pollIntervalMs = 5_000 }: LiveOptions) {
  const findSince = createFindSince(db, sources);
  const hub = createHub<Delivery>({ onError: (error) => log.error({ err: error }, "a live update was not delivered") });
  const hints = createHints(log);
  const feeds = new Map<string, Feed>();
  const announcements = createAnnounce({ db, channel, log });
  const access = createAccessNotices();
  let listener: Listener | undefined;

  const deliver = (feed: Feed, event: LiveEvent): void => {
    if (isNew(feed, event)) hub.publish(feed.organizationId, { cursor: feed.since, event });
  };

  const polling = createPolling({
    poll: createPollFeeds({ feeds, findSince, hub, deliver, log }),
    isNeeded: () => feeds.size > 0,
    pauseMs: () => (listener?.isConnected() ? pollIntervalMs : Math.min(1_000, pollIntervalMs)),
  });

  const open = () =>
    (listener ??= runForAll(() =>
      listen({ target, channel, applicationName: "switchyard live", log, onMessage, onConnect }),
    ));

  async function hear(payload: string): Promise<void> {
    if (access.hear(payload)) return;
    const announcement = readAnnouncement(payload);
    if (announcement) hints.give(announcement);
    const feed = announcement && feeds.get(announcement.organizationId);
    const source = announcement && sources[announcement.kind];
    if (!feed || !source) return;
    for (const event of await source.find(feed.organizationId, announcement.ids)) deliver(feed, event);
  }

  const onMessage = (payload: string): void => void hear(payload).catch(() => polling.soon(0));
  const onConnect = (): void => {
    polling.soon(0);
    access.give(undefined);
  };

  return {
    announce: announcements.add,

    /** Calls back whenever any process says that this one changed. A hint only, which may be lost. */
    onHint(kind: string, id: string, onChange: () => void): () => void {
      open();
      return hints.follow(kind, id, onChange);
    },

    /** From now on; what changed before is for `catchUp`. */
    async follow(organizationId: string, onDelivery: (delivery: Delivery) => void): Promise<() => void> {
      open();
      const since = await readNowMicroseconds(db);
      const unsubscribe = hub.subscribe(organizationId, onDelivery);
      if (!feeds.has(organizationId)) {
        feeds.set(organizationId, { organizationId, since, delivered: new Map() });
        if (feeds.size === 1) polling.soon(pollIntervalMs);
      }
      return () => {
        unsubscribe();
        if (hub.subscriberCount(organizationId) === 0) feeds.delete(organizationId);
      };
    },

    onAccessChange: access.follow,

    catchUp: (organizationId: string, cursor: number) =>
      findSince({ organizationId, cursor, most: mostCaughtUp, isKnown: () => false }),

    now: () => readNowMicroseconds(db),

    async stop(): Promise<void> {
      await Promise.all([announcements.stop(), listener?.stop(), polling.stop()]);
    },
  };
}

type Feeds = {
  feeds: ReadonlyMap<string, Feed>;
  findSince: ReturnType<typeof createFindSince>;
  hub: { publish: (organizationId: string, delivery: Delivery) => void };
  deliver: (feed: Feed, event: LiveEvent) => void;
  log: Log;
};

/** Looks for what changed lately and no hint told of. */
function createPollFeeds({ feeds, findSince, hub, deliver, log }: Feeds) {
  async function pollFeed(feed: Feed): Promise<void> {
    const isKnown = (key: string, version: number) => (feed.delivered.get(key) ?? -1) >= version;
    const { now, pages } = await findSince({
      organizationId: feed.organizationId,
      cursor: feed.since,
      most: mostPolled,
      isKnown,
    });
    if (pages === undefined) hub.publish(feed.organizationId, { cursor: now });
    else for await (const events of pages) for (const event of events) deliver(feed, event);
    advance(feed, now);
  }

  return async (): Promise<void> => {
    try {
      for (const feed of [...feeds.values()]) if (feeds.get(feed.organizationId) === feed) await pollFeed(feed);
    } catch (error) {
      log.debug({ reason: (error as Error).message }, "live updates wait for the database");
    }
  };
}

type Polling = { poll: () => Promise<void>; isNeeded: () => boolean; pauseMs: () => number };

/** Polls now and then while it is needed, and soon when told to: one at a time. */
function createPolling({ poll, isNeeded, pauseMs }: Polling) {
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let isStopped = false;

  function soon(delayMs: number): void {
    clearTimeout(timer);
    if (isStopped || !isNeeded()) return;
    timer = setTimeout(() => {
      underWay ??= runForAll(poll).finally(() => {
        underWay = undefined;
        soon(pauseMs());
      });
    }, delayMs);
  }

  return {
    soon,
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}

/** Whose sessions or memberships have changed in any process; undefined: perhaps anybody's, as something may have been missed. */
function createAccessNotices() {
  const listeners = new Set<(userId: string | undefined) => void>();
  const give = (userId: string | undefined): void => {
    for (const listener of listeners) listener(userId);
  };
  return {
    give,
    follow: (listener: (userId: string | undefined) => void): void => void listeners.add(listener),
    /** Whether it was such a notice. */
    hear(payload: string): boolean {
      const [, userId] = /^access ([0-9a-f-]{36})$/.exec(payload) ?? [];
      if (userId !== undefined) give(userId);
      return userId !== undefined;
    },
  };
}

/** Of single things, whoever they belong to: who asks knows the id. */
function createHints(log: Log) {
  const hub = createHub<void>({ onError: (error) => log.error({ err: error }, "nobody could be told of a change") });
  return {
    give({ kind, ids }: { kind: string; ids: string[] }): void {
      for (const id of ids) hub.publish(`${kind} ${id}`);
    },
    follow: (kind: string, id: string, onChange: () => void) =>
      hub.subscribe(`${kind} ${id.replaceAll("-", "")}`, onChange),
  };
}

type Question = {
  organizationId: string;
  cursor: number;
  most: number;
  isKnown: (key: string, version: number) => boolean;
};

/** What changed since a cursor in all sources, page by page, and the cursor that follows; no pages when there is too much to look at. */
const createFindSince =
  (db: Database, sources: Record<string, LiveSource>) =>
  async ({ organizationId, cursor, most, isKnown }: Question) => {
    const now = await readNowMicroseconds(db);
    const pages: { source: LiveSource; ids: string[] }[] = [];
    for (const [kind, source] of Object.entries(sources)) {
      const changed = await source.listChanged(organizationId, cursor - overlapMicroseconds, most + 1);
      if (changed.length > most) return { now, pages: undefined };
      const ids = changed.filter(({ id, version }) => !isKnown(`${kind} ${id}`, version)).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += pageSize)
        pages.push({ source, ids: ids.slice(start, start + pageSize) });
    }
    return { now, pages: readPages(organizationId, pages) };
  };

async function* readPages(
  organizationId: string,
  pages: { source: LiveSource; ids: string[] }[],
): AsyncGenerator<LiveEvent[]> {
  for (const { source, ids } of pages) yield await source.find(organizationId, ids);
}

/** Whether nobody was told of it yet; from now on somebody was. */
function isNew({ delivered }: Feed, { kind, id, version }: LiveEvent): boolean {
  const key = `${kind} ${id}`;
  if ((delivered.get(key) ?? -1) >= version) return false;
  delivered.set(key, version);
  return true;
}

function advance(feed: Feed, now: number): void {
  feed.since = now;
  for (const [key, version] of feed.delivered) if (version < now - 2 * overlapMicroseconds) feed.delivered.delete(key);
}
