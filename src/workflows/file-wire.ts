import { z } from "zod";
import { errorWorkflowOfFile } from "./error-wire.ts";
import { workflowRequest } from "./wire.ts";

export const mostVariables = 1000;

const { name, description, tool, publish } = workflowRequest.shape;

/** A workflow outside of the installation. Accounts are named, not referred to: ids mean nothing elsewhere. */
export const workflowFile = z
  .object({
    format: z.enum(["switchyard.workflow"]),
    formatVersion: z.int().refine((value) => value === 1, "must be 1"),
    name,
    description,
    tool,
    canvas: z
      .record(z.string(), z.unknown())
      .describe("A canvas whose nodes name their accounts: credential type to an object with the account's name."),
    errorWorkflow: errorWorkflowOfFile,
    variables: z
      .array(z.string().max(64))
      .max(mostVariables)
      .optional()
      .describe("Names of the variables that its expressions read. Their values stay where they are."),
  })
  .meta({ id: "WorkflowFile" });
export type WorkflowFile = z.infer<typeof workflowFile>;
export const workflowImport = workflowFile.extend({ publish });
export type WorkflowImport = z.infer<typeof workflowImport>;
