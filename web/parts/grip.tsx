import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from "react";
import { keyOf } from "./key-of.ts";

export type GripSize = {
  value: number;
  least: number;
  most: number;
  /** What it goes back to. */
  standard: number;
  /** Percent of what holds the pane, or pixels. */
  unit: "%" | "px";
};

type GripProps = {
  label: string;
  axis: "x" | "y";
  /** What is made larger or smaller. */
  pane: RefObject<HTMLElement | null>;
  /** On which side of the pane the grip lies. */
  at: "start" | "end";
  size: GripSize;
  onChange: (value: number) => void;
  className: string;
};

const steps = { "%": 2, px: 24 };

/** Between two panes: dragged, moved by the arrow keys, and put back by Enter or a double click. */
export function Grip({ label, axis, pane, at, size, onChange, className }: GripProps) {
  const { value, least, most, standard, unit } = size;
  const from = useRef<{ place: number; value: number }>(undefined);
  const [less, more] = axis === "x" ? ["arrowleft", "arrowright"] : ["arrowup", "arrowdown"];
  const towards = at === "end" ? 1 : -1;
  const set = (next: number) => onChange(Math.round(Math.min(most, Math.max(least, next))));
  const placeOf = ({ clientX, clientY }: PointerEvent) => (axis === "x" ? clientX : clientY);

  // The window may leave less room than was asked for; what is seen is what is changed.
  const shown = () => lengthOf(pane.current, axis) / pixelsOf(pane.current, axis, unit) || value;
  const acts: Record<string, () => number> = {
    [less]: () => shown() - towards * steps[unit],
    [more]: () => shown() + towards * steps[unit],
    home: () => least,
    end: () => most,
    enter: () => standard,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = acts[keyOf(event)];
    if (!act) return;
    event.preventDefault();
    set(act());
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { place: placeOf(event), value: shown() };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!from.current) return;
    const moved = (placeOf(event) - from.current.place) * towards;
    set(from.current.value + moved / pixelsOf(pane.current, axis, unit));
  };
  const letGo = () => {
    from.current = undefined;
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this is the separator that can.
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      title={label}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(value)}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={unit === "%" ? `${Math.round(value)} percent` : `${Math.round(value)} pixels`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={letGo}
      onPointerCancel={letGo}
      onDoubleClick={() => set(standard)}
      className={`group/grip absolute z-10 flex touch-none items-center justify-center outline-none ${axis === "x" ? "inset-y-0 w-3 cursor-col-resize" : "inset-x-0 h-3 cursor-row-resize"} ${className}`}
    >
      <span
        aria-hidden="true"
        className={`rounded-full bg-line group-hover/grip:bg-accent group-focus-visible/grip:bg-accent group-focus-visible/grip:outline-2 group-focus-visible/grip:outline-offset-2 group-focus-visible/grip:outline-accent ${axis === "x" ? "h-8 w-1.5" : "h-1.5 w-10"}`}
      />
    </div>
  );
}

type Axis = GripProps["axis"];

const lengthOf = (element: HTMLElement | null, axis: Axis): number =>
  (axis === "x" ? element?.offsetWidth : element?.offsetHeight) ?? 0;

/** How many pixels one of the unit is. */
const pixelsOf = (pane: HTMLElement | null, axis: Axis, unit: GripSize["unit"]): number =>
  unit === "px" ? 1 : lengthOf(pane?.parentElement ?? null, axis) / 100 || 1;
