import { z } from "zod";
import { canvasAsSaved, checkResult } from "./wire.ts";

export const n8nFile = z.object({
  file: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .describe("A workflow as n8n exports or copies it. Its accounts are not looked at."),
});

const node = z.object({
  name: z.string().describe("As in the file."),
  type: z.string().describe("Its type in n8n."),
  outcome: z
    .enum(["mapped", "changed", "missing"])
    .describe("mapped: does the same here. changed: look at the remarks. missing: a note stands in its place."),
  becomes: z.array(z.string()).describe("Types of the nodes that stand for it."),
  remarks: z.array(z.string()),
});
export type ConvertedNode = z.infer<typeof node>;

export const n8nConversion = z
  .object({
    name: z.string(),
    canvas: canvasAsSaved.describe("To be saved as a draft: nothing was stored."),
    nodes: z.array(node).describe("What became of each node of the file, notes left out."),
    remarks: z.array(z.string()).describe("About the whole."),
    ...checkResult.pick({ errors: true, warnings: true }).shape,
  })
  .meta({ id: "WorkflowTranslation" });
export type N8nConversion = z.infer<typeof n8nConversion>;
