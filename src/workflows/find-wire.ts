import { z } from "zod";

// Workflows as people look for them by a few letters.

export const findQuery = z.object({
  search: z
    .string()
    .max(200)
    .default("")
    .describe("Words that are in the name, the folder or a tag, whatever their case."),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});

const foundWorkflow = z.object({
  id: z.uuid(),
  name: z.string(),
  folder: z.string(),
  isActive: z.boolean(),
  isPublished: z.boolean(),
});
export type FoundWorkflow = z.infer<typeof foundWorkflow>;

export const foundWorkflows = z.object({
  data: z.array(foundWorkflow).describe("Names that begin with the words first, then the newest change."),
});
