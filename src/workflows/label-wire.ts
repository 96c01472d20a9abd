import { z } from "zod";

// Where people look for workflows among many.

const mostFolderParts = 5;
const mostTags = 20;
export const mostAtOnce = 200;

const isPlain = (text: string): boolean => !/\p{Cc}/u.test(text);
const partsOf = (folder: string): string[] => folder.split("/").map((part) => part.trim());

export const folder = z
  .string()
  .max(300)
  .refine(isPlain, "must not have line breaks or control characters")
  .transform((text) => (text.trim() === "" ? "" : partsOf(text).join("/")))
  .refine((text) => text === "" || partsOf(text).every((part) => part !== ""), "must have a name between its slashes")
  .refine((text) => partsOf(text).length <= mostFolderParts, `must have at most ${mostFolderParts} parts`)
  .describe("Names with slashes between them, such as Sales/Invoices; empty: in no folder.");

const tag = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .refine(isPlain, "must not have line breaks or control characters")
  .refine((text) => !text.includes(","), "must not have a comma");

export const tags = z
  .array(tag)
  .max(mostTags)
  .transform((all) => [...new Set(all)].sort())
  .describe("Words to find it by.");

export const labels = { folder, tags };

/** As they are stored: sorted and trimmed already. */
export const storedLabels = { folder: z.string(), tags: z.array(z.string()) };

export const labelQuery = {
  folder: folder.optional().describe("Only those in this folder and in folders inside it."),
  tag: z
    .union([tag.transform((one) => [one]), tags])
    .optional()
    .describe("Only those with this tag; with all of them where it is given several times."),
};
export type LabelQuery = { folder?: string | undefined; tag?: string[] | undefined };

export const workflowLabels = z
  .object({
    folders: z.array(z.object({ folder: z.string(), workflows: z.int().describe("In this folder itself.") })),
    tags: z.array(z.object({ tag: z.string(), workflows: z.int() })),
  })
  .meta({ id: "WorkflowLabels" });
export type WorkflowLabels = z.infer<typeof workflowLabels>;

export type LabelChange = {
  folder?: string | undefined;
  tags?: string[] | undefined;
  addTags?: string[] | undefined;
  removeTags?: string[] | undefined;
};

const changeOfMany = z.strictObject({ isActive: z.boolean(), folder, addTags: tags, removeTags: tags }).partial();

export const bulkRequest = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(mostAtOnce),
    change: changeOfMany.optional(),
    delete: z.literal(true).optional().describe("Deletes them with their triggers."),
  })
  .refine(({ change }) => !change || Object.values(change).some((value) => value !== undefined), {
    path: ["change"],
    message: "needs something to change",
  })
  .refine((request) => (request.change === undefined) !== (request.delete === undefined), "needs change or delete");
export type BulkRequest = z.infer<typeof bulkRequest>;

export const bulkResult = z.object({
  data: z
    .array(z.object({ id: z.uuid(), problem: z.object({ code: z.string(), detail: z.string() }).nullable() }))
    .describe("In the order of the request; without a problem it is done."),
});
export type BulkResult = z.infer<typeof bulkResult>;
