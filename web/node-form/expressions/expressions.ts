import type { RefObject } from "react";
import type { previewValueQuery } from "../../api/previews.ts";

/** One thing that completion offers. */
export type Suggestion = {
  /** What is written, such as `$nodes.fetch.first.title` or `$sum()`. */
  text: string;
  /** What it is, in a few words, or an example of its value. */
  detail: string;
};

/** Takes a reference where the caret was last. */
export type InsertTarget = { insert: (reference: string) => void };

/** What fields that may hold references know about the form they are in. */
export type Expressions = {
  suggestions: readonly Suggestion[];
  /** Asks what a value becomes with the data of a run; `isBare`: it is JSONata as it stands. */
  preview?: (value: unknown, isBare: boolean) => ReturnType<typeof previewValueQuery>;
  /** In words, which run's data a preview has used. */
  describeRun?: (runId: string) => string;
  /** The field that was written in last. */
  lastField?: RefObject<InsertTarget | null>;
};
