import { type RefObject, useEffect, useState } from "react";
import { keyOf } from "../../parts/key-of.ts";

/** Ctrl+F searches the canvas wherever one is on the page; pressed again in the search it is the browser's own. */
export function useCanvasSearch(frame: RefObject<HTMLElement | null>) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isElsewhere = event.target instanceof Element && event.target.closest("[role=dialog]") !== null;
      if (keyOf(event) !== "ctrl+f" || isElsewhere) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isOpen]);
  return {
    isOpen,
    open: () => setOpen(true),
    close: () => {
      setOpen(false);
      frame.current?.focus();
    },
  };
}
