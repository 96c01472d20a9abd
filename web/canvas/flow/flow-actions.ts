import { createContext } from "react";

/** What can be asked for on a node or an edge itself. Absent where the canvas is only shown. */
export type FlowActions = { addAfter: (nodeId: string, way: string) => void; addOnEdge: (edgeId: string) => void };

export const FlowActionsContext = createContext<FlowActions | undefined>(undefined);
