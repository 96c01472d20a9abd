import { useEffect, useEffectEvent } from "react";
import type { ToolCallEntry } from "../src/history/wire.ts";
import type { RunEntry } from "../src/runs/wire.ts";
import { path } from "./request.ts";

/** `reload`: something may have been missed, so lists must be read anew. */
export type LiveEvent = { kind: "tool-call"; data: ToolCallEntry } | { kind: "run"; data: RunEntry } | { kind: "reload" };

/** What happens in an organization while the component is shown; a dropped connection is made up for. */
export function useLive(organizationId: string, onEvent: (event: LiveEvent) => void): void {
  const tell = useEffectEvent(onEvent);
  useEffect(() => follow(organizationId, (event) => tell(event)), [organizationId]);
}

type Listener = (event: LiveEvent) => void;
type Feed = { listeners: Set<Listener>; close: () => void };
type OpenSource = (address: string) => EventSource;

/** As long as the server tells browsers to wait, which they do by themselves after a loss but not after a refusal. */
const pauseMs = 500;

/** All listeners of one page share one stream: a browser allows only six connections to a server. */
export function createFollow(openSource: OpenSource) {
  const feeds = new Map<string, Feed>();

  function openFeed(organizationId: string): Feed {
    const listeners = new Set<Listener>();
    const tellAll: Listener = (event) => {
      for (const each of listeners) each(event);
    };
    const feed = { listeners, close: openStream(openSource, path`/api/organizations/${organizationId}/events`, tellAll) };
    feeds.set(organizationId, feed);
    return feed;
  }

  return (organizationId: string, listener: Listener): (() => void) => {
    const { listeners, close } = feeds.get(organizationId) ?? openFeed(organizationId);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      feeds.delete(organizationId);
      close();
    };
  };
}

const follow = createFollow((address) => new EventSource(address));

function openStream(openSource: OpenSource, address: string, tell: Listener): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    let hasBeenOpen = false;
    source = openSource(address);
    source.onopen = () => {
      // What happened between the first reading of a list and now was not told; later the server knows what the browser has.
      if (!hasBeenOpen) tell({ kind: "reload" });
      hasBeenOpen = true;
    };
    source.onerror = () => {
      if (source.readyState === source.CLOSED) timer = setTimeout(open, pauseMs);
    };
    source.addEventListener("tool-call", ({ data }: MessageEvent<string>) =>
      tell({ kind: "tool-call", data: JSON.parse(data) as ToolCallEntry }),
    );
    source.addEventListener("run", ({ data }: MessageEvent<string>) => tell({ kind: "run", data: JSON.parse(data) as RunEntry }));
    source.addEventListener("reload", () => tell({ kind: "reload" }));
  }

  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
