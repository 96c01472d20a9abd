import { type RefObject, useEffect } from "react";
import { keyOf } from "../../parts/key-of.ts";

const steps: Record<string, number> = { f6: 1, "shift+f6": -1 };

/** F6 goes from the canvas to what comes in, the form, what comes out, and back; with Shift the other way. */
export function usePaneWalk(canvas: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const step = steps[keyOf(event)];
      if (step === undefined || document.querySelector("[role=dialog]")) return;
      const stops = findStops(canvas.current);
      if (stops.length === 0) return;
      event.preventDefault();
      const here = stops.findIndex(({ parts }) => parts.some((part) => part.contains(document.activeElement)));
      const from = here === -1 && step < 0 ? 0 : here;
      stops.at((from + step) % stops.length)?.parts[0]?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [canvas]);
}

/** A pane, or its tab and what the tab shows: the first of them takes the focus. */
type Stop = { parts: readonly HTMLElement[] };

function findStops(canvas: HTMLElement | null): Stop[] {
  const panes = [...document.querySelectorAll<HTMLElement>("[data-pane]")];
  const byName = Map.groupBy(panes, ({ dataset }) => dataset.pane);
  return [...(canvas ? [{ parts: [canvas] }] : []), ...[...byName.values()].map((parts) => ({ parts }))];
}
