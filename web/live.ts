import { useEffect, useEffectEvent } from "react";
import { joinStream, type Memory, type StreamContext } from "./live/join-stream.ts";
import type { LiveEvent } from "./live/open-stream.ts";
import { path } from "./request.ts";

export type { LiveEvent };

/** What happens in an organization while the component is shown; a dropped connection is made up for. */
export function useLive(organizationId: string, onEvent: (event: LiveEvent) => void): void {
  const tell = useEffectEvent(onEvent);
  useEffect(() => follow(organizationId, (event) => tell(event)), [organizationId]);
}

type Listener = (event: LiveEvent) => void;
type Feed = { listeners: Set<Listener>; close: () => void };

/** Calls `onChange` whenever the page is shown or hidden, and at once; gives what ends it. */
export type WatchPage = (onChange: (isShown: boolean) => void) => () => void;

/** All listeners of one page share what it hears. A page that nobody sees has no connection, and goes on from the last event it knows. */
export function createFollow({ watchPage, ...context }: StreamContext & { watchPage: WatchPage }) {
  const feeds = new Map<string, Feed>();

  function openFeed(organizationId: string): Feed {
    const listeners = new Set<Listener>();
    const memory: Memory = {};
    const tell: Listener = (event) => {
      for (const each of listeners) each(event);
    };
    const join = { ...context, address: path`/api/organizations/${organizationId}/events`, memory, tell };
    let leave: (() => void) | undefined;
    const unwatch = watchPage((isShown) => {
      if (isShown) leave ??= joinStream(join);
      else {
        leave?.();
        leave = undefined;
      }
    });
    const close = () => {
      unwatch();
      leave?.();
    };
    const feed = { listeners, close };
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

/** A page in the cache of the browser for going back is hidden, and would keep its connection. */
const watchPage: WatchPage = (onChange) => {
  const look = () => onChange(document.visibilityState === "visible");
  const hide = () => onChange(false);
  document.addEventListener("visibilitychange", look);
  addEventListener("pageshow", look);
  addEventListener("pagehide", hide);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    removeEventListener("pageshow", look);
    removeEventListener("pagehide", hide);
  };
};

const follow = createFollow({
  openSource: (address) => new EventSource(address),
  // The types know only secure pages.
  locks: typeof navigator === "undefined" ? undefined : (navigator.locks as LockManager | undefined),
  watchPage,
});
