import { useKept } from "../../parts/use-kept.ts";
import { useNarrow, useWide } from "./use-narrow.ts";

export type DockSide = "below" | "right" | "sheet";

export type Dock = {
  side: DockSide;
  /** Puts the panel to the other side; undefined on a narrow screen, which has one place for it. */
  toggle: (() => void) | undefined;
};

type Chosen = "below" | "right" | "standard";

const isChosen = (kept: unknown): kept is Chosen => kept === "below" || kept === "right";

/** Where the panel of a node stands: where somebody put it, otherwise where the screen has more room. */
export function useDock(): Dock {
  const isNarrow = useNarrow();
  const isWide = useWide();
  const [chosen, choose] = useKept<Chosen>("dock", "standard", isChosen);
  if (isNarrow) return { side: "sheet", toggle: undefined };
  const side = chosen === "standard" ? (isWide ? "below" : "right") : chosen;
  return { side, toggle: () => choose(side === "below" ? "right" : "below") };
}
