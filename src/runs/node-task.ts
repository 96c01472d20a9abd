import type { Span } from "../base/tracing.ts";
import type { Item, Scope } from "../workflows/engine-node.ts";
import type { Incoming } from "./find-ready.ts";
import type { GraphNode } from "./graph.ts";

/** A node that is to be executed in a run. */
export type NodeTask = {
  node: GraphNode;
  incoming: Incoming;
  scopeFor: (input: unknown) => Scope;
  progress: Progress;
  signal: AbortSignal;
  /** Part of the key under which providers recognise a repetition. */
  runId: string;
  organizationId: string;
  /** What the run was started with, in words. */
  prompt: string;
  /** To be awaited before each step outside: stores that the node is under way, and whether it may be repeated. */
  begin: (mustNotRepeat: boolean) => Promise<void>;
  /** Throws when the run may not reach outside any more. */
  assertHeld: () => void;
  trace: Span;
};

/** What a node that tries again has behind it. */
export type Progress = { attempts: number; done: number; outputs: Record<string, Item[]> };

export const noProgress: Progress = { attempts: 0, done: 0, outputs: {} };
