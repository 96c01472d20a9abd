import { useReactFlow, type Viewport } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";

type Follower = (view: Viewport) => void;

/** What several canvases show of the same plane: whichever is moved or zoomed, the others follow. */
export type SharedView = { join: (follower: Follower) => () => void; move: (view: Viewport, by: Follower) => void };

export function createSharedView(): SharedView {
  const followers = new Set<Follower>();
  let current: Viewport | undefined;
  return {
    join(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    // Who follows tells that it moved, too.
    move(view, by) {
      if (current && current.x === view.x && current.y === view.y && current.zoom === view.zoom) return;
      current = view;
      for (const follower of followers) if (follower !== by) follower(view);
    },
  };
}

/** What a canvas calls when its view has moved; undefined where it shares it with no other. */
export function useSharedView(shared: SharedView | undefined): ((view: Viewport) => void) | undefined {
  const { setViewport } = useReactFlow();
  const follow = useRef<Follower>((view) => void setViewport(view));
  useEffect(() => shared?.join(follow.current), [shared]);
  const move = useCallback((view: Viewport) => shared?.move(view, follow.current), [shared]);
  return shared && move;
}
