import { z } from "zod";
import { type CanvasEdge, type CanvasNode, type CanvasNote, versionOrNone } from "./wire.ts";

// What is different between two canvases of a workflow.

const nodeChange = z.object({
  id: z.string(),
  fields: z
    .array(z.object({ pointer: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
    .describe("JSON Pointers into the node; without `before` the field is new, without `after` it is gone."),
});
export type NodeChange = z.infer<typeof nodeChange>;
const compared = z.union([versionOrNone, z.enum(["draft"])]);
// As they were saved: those of a draft may have any form in truth.
const nodesAsSaved = z.array(z.unknown()) as unknown as z.ZodType<CanvasNode[]>;
const edgesAsSaved = z.array(z.unknown()) as unknown as z.ZodType<CanvasEdge[]>;
const notesAsSaved = z.array(z.unknown()) as unknown as z.ZodType<CanvasNote[]>;
const noteChange = z.object({ id: z.string(), before: z.string(), after: z.string() });
export const comparison = z
  .object({
    from: compared,
    to: compared,
    nodes: z.object({ added: nodesAsSaved, removed: nodesAsSaved, changed: z.array(nodeChange) }),
    edges: z.object({ added: edgesAsSaved, removed: edgesAsSaved }),
    notes: z
      .object({ added: notesAsSaved, removed: notesAsSaved, changed: z.array(noteChange) })
      .describe("A note counts as changed when its text did, not when it was moved or resized."),
  })
  .meta({ id: "WorkflowComparison" });
export type Comparison = z.infer<typeof comparison>;
