import { z } from "zod";

// Which workflow is told when a run fails.

export const errorWorkflow = z
  .union([z.enum(["default", "none"]), z.uuid().toLowerCase()])
  .describe(
    "What is started when a run fails: `default` is the organization's error workflow, `none` is nothing, anything else the id of a workflow.",
  );
export type ErrorWorkflow = z.infer<typeof errorWorkflow>;

/** As a file has it: ids mean nothing elsewhere. */
export const errorWorkflowOfFile = z
  .union([z.literal("none"), z.strictObject({ name: z.string().max(200) })])
  .optional()
  .describe("The name of its error workflow, or `none`; without it the organization's.");
export type ErrorWorkflowOfFile = z.infer<typeof errorWorkflowOfFile>;

export const workflowDefaults = z
  .strictObject({
    errorWorkflowId: z
      .uuid()
      .toLowerCase()
      .nullable()
      .describe("Started when a run of a workflow fails that has no error workflow of its own; null: nothing is."),
  })
  .meta({ id: "WorkflowDefaults" });
export type WorkflowDefaults = z.infer<typeof workflowDefaults>;
