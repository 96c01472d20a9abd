import { z } from "zod";
import { canvasId } from "../workflows/wire.ts";
import { acceptedRun, allowRepeat } from "./wire.ts";

// Runs of what people edit, which nobody has to publish first.

const mode = z
  .enum(["all", "node", "toHere", "fromHere"])
  .describe(
    "all: everything. node: this node alone, with what nodes before it gave in this draft; those that gave nothing yet run first. toHere: all that leads to this node, anew. fromHere: this node and all that follows it.",
  );

export const editorRunBody = z
  .strictObject({
    mode,
    nodeId: canvasId.optional().describe("Canvas id of the node that is meant; with every mode but `all`."),
    prompt: z.string().max(1_000_000).optional(),
    payload: z
      .unknown()
      .optional()
      .describe(
        "$trigger.payload. Where neither it nor the prompt is given, the run begins with what is pinned as $trigger; without that, with what the last run of this draft began with; a run of everything, with nothing.",
      ),
    allowRepeat: allowRepeat.default(false),
  })
  .refine((asked) => (asked.mode === "all") === (asked.nodeId === undefined), {
    path: ["nodeId"],
    message: "is required with every mode but all, and only with those",
  });

export const acceptedEditorRun = acceptedRun
  .extend({
    nodes: z
      .array(
        z.object({
          id: canvasId,
          data: z
            .string()
            .describe("`ran`: it is executed in this run. `pinned`, or the id of the run it is taken from."),
        }),
      )
      .describe("What the run is about, and where the data of each node comes from."),
  })
  .meta({ id: "AcceptedEditorRun" });
export type AcceptedEditorRun = z.infer<typeof acceptedEditorRun>;
