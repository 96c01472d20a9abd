import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { keyOf } from "../../parts/key-of.ts";

/** Ctrl+F searches the canvas wherever one is on the page, and goes back to its field; pressed again in there it is the browser's own. */
export function useCanvasSearch(frame: RefObject<HTMLElement | null>) {
  const [timesAsked, setTimesAsked] = useState(0);
  const open = () => setTimesAsked((times) => times + 1);
  const ask = useEffectEvent(open);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isElsewhere =
        event.target instanceof Element && event.target.closest("[role=dialog], search input") !== null;
      if (keyOf(event) !== "ctrl+f" || isElsewhere) return;
      event.preventDefault();
      ask();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  return {
    isOpen: timesAsked > 0,
    /** Raised whenever somebody asks for it, also while it is open. */
    timesAsked,
    open,
    close: () => {
      setTimesAsked(0);
      frame.current?.focus();
    },
  };
}
