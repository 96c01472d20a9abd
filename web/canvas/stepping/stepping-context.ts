import { createContext } from "react";
import type { PinHead } from "../../../src/workflows/pin-wire.ts";
import type { EditorRunRequest, Outputs } from "../../api/steps.ts";

export type StepMode = Exclude<EditorRunRequest["mode"], "all">;

/** What can be run of the canvas while it is edited, and which nodes have data that stands for what they give. */
export type Stepping = {
  step: (nodeId: string, mode: StepMode) => void;
  /** Runs everything, and says once it is on its way, or why not. */
  runAll: (given: { prompt: string; payload: unknown }) => Promise<void>;
  /** The node whose step is on its way. */
  busyId: string | undefined;
  /** Why the last step of a node was refused. */
  problem: { nodeId: string; error: unknown } | undefined;
  pins: ReadonlyMap<string, PinHead>;
  pin: (nodeId: string, outputs: Outputs) => Promise<void>;
  unpin: (nodeId: string) => Promise<void>;
  /** What came out of a node in the run that is shown, where that can be pinned. */
  outputsOf: (nodeId: string) => Outputs | undefined;
  /** Pins that, if there is any and nothing is pinned yet. */
  pinOutput: (nodeId: string) => void;
  /** Takes away what is pinned. */
  unpinOutput: (nodeId: string) => void;
  /** How the last of these two stands; why it failed is told where the data is shown. */
  pinning: { nodeId: string; isPending: boolean; error: unknown } | undefined;
};

/** Absent for those who only read. */
export const SteppingContext = createContext<Stepping | undefined>(undefined);
