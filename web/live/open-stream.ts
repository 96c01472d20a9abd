import type { WebhookDelivery } from "../../src/deliveries/wire.ts";
import type { ToolCallEntry } from "../../src/history/wire.ts";
import type { RunEntry } from "../../src/runs/wire.ts";

/** `reload`: something may have been missed, so lists must be read anew. */
export type LiveEvent =
  | { kind: "tool-call"; data: ToolCallEntry }
  | { kind: "run"; data: RunEntry }
  | { kind: "webhook-delivery"; data: WebhookDelivery }
  | { kind: "reload" };

export type OpenSource = (address: string) => EventSource;

type StreamOptions = {
  openSource: OpenSource;
  address: string;
  /** The id of the last event that is known: the server tells what came after it. */
  lastEventId: string | undefined;
  tell: (event: LiveEvent, eventId: string) => void;
  /** The first time only. */
  onOpen: () => void;
};

/** As long as the server tells browsers to wait, which they do by themselves after a loss but not after a refusal. */
const pauseMs = 500;

/** A connection that is made up for when it is lost or refused, until it is closed. */
export function openStream({ openSource, address, lastEventId, tell, onOpen }: StreamOptions): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = lastEventId;
  let hasBeenOpen = false;

  function open(): void {
    // A browser sends the header only when it comes back by itself.
    source = openSource(lastId === undefined ? address : `${address}?lastEventId=${encodeURIComponent(lastId)}`);
    source.onopen = () => {
      if (hasBeenOpen) return;
      hasBeenOpen = true;
      onOpen();
    };
    source.onerror = () => {
      if (source.readyState !== source.CLOSED) return;
      timer = setTimeout(open, pauseMs);
    };
    const pass = (event: LiveEvent, { lastEventId: id }: MessageEvent) => {
      lastId = id;
      tell(event, id);
    };
    source.addEventListener("tool-call", (message: MessageEvent<string>) =>
      pass({ kind: "tool-call", data: JSON.parse(message.data) as ToolCallEntry }, message),
    );
    source.addEventListener("run", (message: MessageEvent<string>) =>
      pass({ kind: "run", data: JSON.parse(message.data) as RunEntry }, message),
    );
    source.addEventListener("webhook-delivery", (message: MessageEvent<string>) =>
      pass({ kind: "webhook-delivery", data: JSON.parse(message.data) as WebhookDelivery }, message),
    );
    source.addEventListener("reload", (message: MessageEvent<string>) => pass({ kind: "reload" }, message));
  }

  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
