import { type LiveEvent, type OpenSource, openStream } from "./open-stream.ts";

export type StreamContext = {
  openSource: OpenSource;
  /** Only where the browser calls the page secure: over https, and over http on the own computer. */
  locks: Pick<LockManager, "request"> | undefined;
};

/** What a page remembers while it is hidden. */
export type Memory = { resumeFrom?: string };

type JoinOptions = StreamContext & { address: string; memory: Memory; tell: (event: LiveEvent) => void };

type Message =
  | { type: "hello" }
  /** `isFresh`: it does not go on where another one ended, so everybody may have missed something. */
  | { type: "open"; isFresh: boolean }
  | { type: "event"; event: LiveEvent; eventId: string };

/**
 * One stream for all pages of the browser, because it allows only six connections to a server: the page that holds the lock has it and tells the others.
 * Whoever gets the lock next goes on from the last event it knows. Without locks every page that is shown has a stream of its own.
 */
export function joinStream({ openSource, locks, address, memory, tell }: JoinOptions): () => void {
  const channel = locks && new BroadcastChannel(`switchyard.live ${address}`);
  const post = (message: Message) => channel?.postMessage(message);
  let isCurrent = false;
  let isLeading = false;
  let isOpen = false;
  let closeStream: (() => void) | undefined;
  const leaving = new AbortController();

  function onOpen(isFresh: boolean): void {
    if (isFresh || !isCurrent) tell({ kind: "reload" });
    isCurrent = true;
  }

  function pass(event: LiveEvent, eventId: string): void {
    // Before the lists were read, an event says nothing about those before it.
    if (isCurrent) memory.resumeFrom = eventId;
    tell(event);
  }

  function lead(): void {
    isLeading = true;
    const isFresh = memory.resumeFrom === undefined;
    isCurrent ||= !isFresh;
    closeStream = openStream({
      openSource,
      address,
      lastEventId: memory.resumeFrom,
      tell(event, eventId) {
        pass(event, eventId);
        post({ type: "event", event, eventId });
      },
      onOpen() {
        isOpen = true;
        onOpen(isFresh);
        post({ type: "open", isFresh });
      },
    });
  }

  function hear(message: Message): void {
    if (message.type === "hello" && isOpen) post({ type: "open", isFresh: false });
    if (isLeading) return;
    if (message.type === "open") onOpen(message.isFresh);
    if (message.type === "event") pass(message.event, message.eventId);
  }

  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => hear(data));
  if (locks) {
    post({ type: "hello" });
    holdLock(locks, { name: `switchyard.live ${address}`, signal: leaving.signal, lead });
  } else lead();

  return () => {
    closeStream?.();
    leaving.abort();
    channel?.close();
  };
}

type Holding = { name: string; signal: AbortSignal; lead: () => void };

/** Until the signal; the browser itself takes the lock from a page that is gone. */
function holdLock(locks: Pick<LockManager, "request">, { name, signal, lead }: Holding): void {
  const hold = (): Promise<void> | undefined => {
    if (signal.aborted) return undefined;
    lead();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  locks.request(name, { signal }, hold).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
