import { Readable } from "node:stream";
import { Refusal } from "../base/refusal.ts";
import { runForAll } from "../storage/page-work.ts";
import type { Delivery, Live, LiveEvent } from "./live.ts";

type StreamOptions = {
  live: Live;
  organizationId: string;
  userId: string;
  /** The id of the last event that the client has. */
  lastEventId: string | undefined;
  /** Asked regularly, and at once when the person's access has changed; a rejection ends the stream. */
  requireAccess: () => Promise<void>;
  heartbeatMs: number;
};

/** A client that leaves this much unread is cut off; it comes back with the id of its last event. */
const unreadLimitBytes = 4 * 1024 * 1024;
const oldestCursorMicroseconds = 3_600_000_000;
/** Events that arrive while a client still gets what it missed. */
const mostWaiting = 10_000;
/** How soon a browser comes back after a loss, such as a restart of the server; by itself it would wait for some seconds. */
const comeBackMs = 500;
/** Of one person in one process: enough for many pages, too few to be a burden. */
const mostStreams = 20;

/** Server-Sent Events about one organization. */
export function createEventStreams({ live, heartbeatMs = 15_000 }: { live: Live; heartbeatMs?: number }) {
  const open = new Set<OpenStream>();
  const countOf = new Map<string, number>();
  let isStopping = false;

  function count(userId: string, change: 1 | -1): void {
    const next = (countOf.get(userId) ?? 0) + change;
    if (next > mostStreams)
      throw new Refusal("rate_limited", `You have ${mostStreams} streams of events open already. Close one first.`);
    if (next === 0) countOf.delete(userId);
    else countOf.set(userId, next);
  }

  live.onAccessChange((userId) => {
    for (const one of open) if (userId === undefined || one.userId === userId) one.checkAccess();
  });

  return {
    async open(options: Omit<StreamOptions, "live" | "heartbeatMs">): Promise<Readable> {
      const { userId } = options;
      count(userId, 1);
      const opened: OpenStream = await openStream({ ...options, live, heartbeatMs }).catch((error: unknown) => {
        count(userId, -1);
        throw error;
      });
      open.add(opened);
      opened.stream.on("close", () => {
        open.delete(opened);
        count(userId, -1);
      });
      if (isStopping) opened.end();
      return opened.stream;
    },

    count: () => open.size,

    endAll(): void {
      isStopping = true;
      for (const { end } of open) end();
    },
  };
}

type OpenStream = { userId: string; stream: Readable; end: () => void; checkAccess: () => void };

async function openStream({
  live,
  organizationId,
  userId,
  lastEventId,
  requireAccess,
  heartbeatMs,
}: StreamOptions): Promise<OpenStream> {
  const text = createTextStream();
  const { stream, send, end } = text;
  send(`retry: ${comeBackMs}\n\n`);
  const waiting: Delivery[] = [];
  let caughtUp: Map<string, number> | undefined;
  const deliver = (delivery: Delivery): void => {
    if (caughtUp !== undefined) {
      if (!isKnown(caughtUp, delivery.event)) send(toText(delivery));
    } else if (waiting.push(delivery) > mostWaiting) stream.destroy();
  };
  const unfollow = await live.follow(organizationId, deliver);
  const checkAccess = (): void => void runForAll(requireAccess).catch(end);
  const heartbeat = setInterval(() => {
    send(": still here\n\n");
    checkAccess();
  }, heartbeatMs);
  stream.on("close", () => {
    clearInterval(heartbeat);
    unfollow();
  });
  catchUp({ live, organizationId, lastEventId, text }).then(
    (versions) => {
      caughtUp = versions;
      for (const delivery of waiting.splice(0)) deliver(delivery);
    },
    () => stream.destroy(),
  );
  return { userId, stream, end, checkAccess };
}

type TextStream = ReturnType<typeof createTextStream>;

function createTextStream() {
  let hasEnded = false;
  let onRoom = (): void => {};
  const stream = new Readable({ read: () => onRoom() });
  stream.on("close", () => onRoom());
  return {
    stream,
    send(text: string): void {
      if (hasEnded || stream.destroyed) return;
      stream.push(text);
      if (stream.readableLength > unreadLimitBytes) stream.destroy();
    },
    /** Resolves when the client has taken what was sent, or is gone. */
    async untilTaken(): Promise<void> {
      while (stream.readableLength > stream.readableHighWaterMark && !stream.destroyed)
        await new Promise<void>((resolve) => (onRoom = resolve));
    },
    end(): void {
      hasEnded = true;
      stream.push(null);
    },
  };
}

type CatchUp = Pick<StreamOptions, "live" | "organizationId" | "lastEventId"> & { text: TextStream };

/** Sends what was missed and gives its versions, so that it is not sent again. */
async function catchUp({ live, organizationId, lastEventId, text }: CatchUp): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  const now = await live.now();
  const cursor = lastEventId === undefined ? now : Number(lastEventId);
  const isUsable = Number.isSafeInteger(cursor) && cursor <= now && cursor > now - oldestCursorMicroseconds;
  const missed =
    lastEventId !== undefined && isUsable ? await live.catchUp(organizationId, cursor) : { now, pages: [] };
  if (!isUsable || missed.pages === undefined) {
    text.send(toText({ cursor: missed.now }));
    return versions;
  }
  for await (const events of missed.pages) {
    for (const event of events) {
      text.send(toText({ cursor, event }));
      versions.set(keyOf(event), event.version);
    }
    await text.untilTaken();
  }
  // Without data this is no event, but the client keeps the id.
  text.send(`id: ${missed.now}\n\n`);
  return versions;
}

const keyOf = ({ kind, id }: LiveEvent): string => `${kind} ${id}`;

const isKnown = (versions: Map<string, number>, event: LiveEvent | undefined): boolean =>
  event !== undefined && (versions.get(keyOf(event)) ?? -1) >= event.version;

function toText({ cursor, event }: Delivery): string {
  const [name, data] = event ? [event.kind, event.data] : ["reload", {}];
  return `id: ${cursor}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
