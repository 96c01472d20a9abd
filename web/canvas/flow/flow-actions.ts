import { createContext } from "react";
import type { Place } from "../edit/places.ts";

/** What a menu is about: a node or a note by its box, a connection, the card of a trigger, or the canvas itself. */
export type MenuTarget =
  | { kind: "box"; boxId: string }
  | { kind: "edge"; edgeId: string }
  | { kind: "card"; cardId: string }
  | { kind: "canvas" };

/** `at` is a place on the screen. */
export type OpenMenu = (target: MenuTarget, at: Place) => void;

/** What can be asked for on a node or an edge itself. Absent where the canvas is only shown. */
export type FlowActions = {
  addAfter: (nodeId: string, way: string) => void;
  addOnEdge: (edgeId: string) => void;
  openMenu: OpenMenu;
};

export const FlowActionsContext = createContext<FlowActions | undefined>(undefined);
