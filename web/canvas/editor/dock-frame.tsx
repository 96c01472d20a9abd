import { type ReactNode, type RefObject, useRef } from "react";
import { Grip, type GripSize } from "../../parts/grip.tsx";
import { useKeptNumber } from "../../parts/use-kept.ts";
import type { DockSide } from "./use-dock.ts";
import { useWide } from "./use-narrow.ts";

type DockAreaProps = { side: DockSide; children: ReactNode };

/** The canvas and what is docked to it. */
export function DockArea({ side, children }: DockAreaProps) {
  return (
    <div
      data-sheet={side === "sheet" || undefined}
      className={`relative flex min-h-0 flex-1 ${side === "right" ? "" : "flex-col"}`}
    >
      {children}
    </div>
  );
}

type DockFrameProps = {
  side: DockSide;
  /** What has the focus when the panel is opened by a key. */
  frame: RefObject<HTMLDivElement | null>;
  children: ReactNode;
};

/** The place of a panel beside, below or over the canvas, which gets the rest of the room. */
export function DockFrame({ side, frame, children }: DockFrameProps) {
  const pane = useRef<HTMLDivElement>(null);
  const [size, setSize] = useSize(side);
  const isRight = side === "right";
  return (
    <div
      ref={pane}
      style={isRight ? { width: `clamp(26.25rem, ${size.value}px, 100% - 20rem)` } : { height: heightOf(side, size) }}
      className={`relative z-10 min-h-0 shrink-0 border-line bg-surface ${looks[side]}`}
    >
      <Grip
        label={isRight ? "Width of the panel" : "Height of the panel"}
        axis={isRight ? "x" : "y"}
        pane={pane}
        at="start"
        size={size}
        onChange={setSize}
        className={grips[side]}
      />
      <div
        ref={frame}
        tabIndex={-1}
        className={`h-full min-h-0 overflow-hidden outline-none ${side === "sheet" ? "rounded-t-2xl pt-2.5" : ""}`}
      >
        {children}
      </div>
    </div>
  );
}

const grips: Record<DockSide, string> = { below: "-top-1.5", right: "-left-1.5", sheet: "top-0" };
const looks: Record<DockSide, string> = {
  below: "border-t",
  right: "border-l",
  sheet: "rounded-t-2xl border-t shadow-[0_-4px_16px_rgb(0_0_0/8%)]",
};

/** On a telephone the canvas keeps room for the chosen node. */
const heightOf = (side: DockSide, { value }: GripSize): string =>
  side === "sheet" ? `min(${value}%, 100% - 6rem)` : `clamp(12rem, ${value}%, 100% - 10rem)`;

/** As it was left, for each side by itself. */
function useSize(side: DockSide): [GripSize, (value: number) => void] {
  const standardWidth = useWide() ? Math.round(Math.min(840, innerWidth * 0.58)) : 420;
  const below = useKeptNumber("height", 52);
  const right = useKeptNumber("width", standardWidth);
  const sheet = useKeptNumber("sheet", 74);
  const [value, keep] = { below, right, sheet }[side];
  const limits: Record<DockSide, Omit<GripSize, "value">> = {
    below: { least: 25, most: 80, standard: 52, unit: "%" },
    right: { least: 420, most: 900, standard: standardWidth, unit: "px" },
    sheet: { least: 40, most: 90, standard: 74, unit: "%" },
  };
  return [{ ...limits[side], value }, keep];
}
