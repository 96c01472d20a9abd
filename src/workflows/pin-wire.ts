import { z } from "zod";
import { triggerData } from "../runs/wire.ts";
import { canvasId, savedWorkflow } from "./wire.ts";

// Outputs of nodes, and what starts a run, that people keep for runs of the editor.

/** What a run begins with is pinned under this name, which no node can have. */
export const triggerPinId = "$trigger";
/** It is kept as if a node gave it: one item, which is `$trigger`. */
export const pinnedTrigger = z.strictObject({ out: z.tuple([triggerData]) });

/** Of one node, as JSON. */
export const mostPinnedBytes = 1_000_000;
/** Of all nodes of a workflow together. */
export const mostPinnedBytesOfAll = 10_000_000;

const outputs = z
  .record(z.string().max(64), z.array(z.record(z.string(), z.unknown())))
  .describe("Way out of the node to the items that leave on it; `out` where there is only one.");

export const pinRequest = z.strictObject({ outputs });
export type PinRequest = z.infer<typeof pinRequest>;

export const pin = z
  .object({
    nodeId: z.union([canvasId, z.literal(triggerPinId)]).describe("$trigger: what runs of the editor begin with."),
    outputs,
    pinnedByName: z.string().nullable().describe("Null for the command line."),
    pinnedAt: z.iso.datetime(),
  })
  .meta({ id: "Pin" });
export type Pin = z.infer<typeof pin>;

export const pinList = z.object({
  data: z
    .array(pin.omit({ outputs: true }).extend({ bytes: z.int(), items: z.int() }))
    .describe("By node, without the data."),
});
export type PinHead = z.infer<typeof pinList>["data"][number];

export const publishedWorkflow = savedWorkflow
  .extend({ pinnedNodes: z.int().describe("How many of its nodes have pinned data, which no published run uses.") })
  .meta({ id: "PublishedWorkflow" });
export type PublishedWorkflow = z.infer<typeof publishedWorkflow>;
