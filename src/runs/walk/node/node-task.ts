import type { Gate } from "../../../base/gate.ts";
import type { Span } from "../../../base/tracing.ts";
import type { Item, Scope } from "../../../workflows/engine-node.ts";
import type { GraphNode } from "../graph.ts";
import type { Incoming } from "../incoming.ts";
import { type ItemProgress, noItems } from "./item-progress.ts";

/** One execution of a node: for one item, or for the list. */
export type Execution = { index: number; items: Item[]; input: unknown; isForItem: boolean };

/** A node that is to be executed in a run. */
export type NodeTask = {
  node: GraphNode;
  incoming: Incoming;
  scopeFor: (execution: Execution) => Scope;
  progress: Progress;
  signal: AbortSignal;
  /** Part of the key under which providers recognise a repetition. */
  runId: string;
  organizationId: string;
  /** What the run was started with, in words. */
  prompt: string;
  /** To be awaited before each step outside of an execution: stores that it is under way, and whether it may be repeated. */
  begin: (place: number, mustNotRepeat: boolean) => Promise<void>;
  /** Told how far the node is, each time that an execution has come to an end. */
  onProgress: (progress: Omit<ItemProgress, "interrupted">, place: number, total: number) => void;
  /** To be awaited before an execution that reaches out: a run makes only so many calls at a time. */
  enterCall: Gate;
  /** Throws when the run may not reach outside any more. */
  assertHeld: () => void;
  /** Whether this process ends, so that nothing more is begun. */
  isStopping: () => boolean;
  trace: Span;
};

/** How far earlier attempts of a node came: how many there were, and what became of each item. */
export type Progress = ItemProgress & { attempts: number };

export const noProgress: Progress = { attempts: 0, ...noItems };
