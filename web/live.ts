import { useEffect, useEffectEvent } from "react";
import type { ToolCallEntry } from "../src/history/wire.ts";
import type { RunEntry } from "../src/runs/wire.ts";
import { path } from "./request.ts";

/** `reload`: something was missed, so lists must be read anew. */
export type LiveEvent = { kind: "tool-call"; data: ToolCallEntry } | { kind: "run"; data: RunEntry } | { kind: "reload" };

/** What happens in an organization while the component is shown, once each; a dropped connection is made up for. */
export function useLive(organizationId: string, onEvent: (event: LiveEvent) => void): void {
  const tell = useEffectEvent(onEvent);
  useEffect(() => follow(organizationId, (event) => tell(event)), [organizationId]);
}

type Listener = (event: LiveEvent) => void;
type Feed = { listeners: Set<Listener>; close: () => void };

const feeds = new Map<string, Feed>();
const pauseMs = 1_000;

/** All listeners of one page share one stream: a browser allows only six connections to a server. */
export function follow(organizationId: string, listener: Listener): () => void {
  let feed = feeds.get(organizationId);
  if (!feed) {
    const listeners = new Set<Listener>();
    const tellAll: Listener = (event) => {
      for (const each of listeners) each(event);
    };
    feed = { listeners, close: openStream(path`/api/organizations/${organizationId}/events`, tellAll) };
    feeds.set(organizationId, feed);
  }
  const { listeners, close } = feed;
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    feeds.delete(organizationId);
    close();
  };
}

function openStream(address: string, tell: Listener): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function open(afterLoss: boolean): void {
    source = new EventSource(address);
    source.onopen = () => {
      if (afterLoss) tell({ kind: "reload" });
    };
    // The browser comes back by itself from a broken connection, with the id of the last event, but not from a refusal.
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, pauseMs, true);
    };
    source.addEventListener("tool-call", ({ data }) => tell({ kind: "tool-call", data: JSON.parse(data) as ToolCallEntry }));
    source.addEventListener("run", ({ data }) => tell({ kind: "run", data: JSON.parse(data) as RunEntry }));
    source.addEventListener("reload", () => tell({ kind: "reload" }));
  }

  open(false);
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
