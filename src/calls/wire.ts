import { z } from "zod";

// The shapes the platform API speaks about running a call. The web UI imports only this file.

export const replayRequest = z
  .strictObject({
    parameters: z.record(z.string(), z.unknown()).optional().describe("Instead of the recorded ones."),
    credentials: z
      .record(z.string(), z.string())
      .optional()
      .describe("Credential type → reference, instead of the recorded ones."),
    confirm: z.boolean().optional().describe("Must be true when the tool changes something."),
  })
  .meta({ id: "ReplayRequest" });
export type ReplayRequest = z.infer<typeof replayRequest>;

export const toolCallRequest = z
  .strictObject({
    parameters: z.record(z.string(), z.unknown()).describe("As the tool's input schema says."),
    credentials: z
      .record(z.string(), z.string())
      .optional()
      .describe("Credential type → reference; never the secret itself."),
    confirm: z.boolean().optional().describe("Must be true when the tool changes something."),
  })
  .meta({ id: "ToolCallRequest" });
export type ToolCallRequest = z.infer<typeof toolCallRequest>;

export const choicesRequest = z
  .strictObject({
    search: z.string().max(200).optional().describe("Part of a name or an id."),
    parameters: z
      .record(z.string().max(100), z.string().max(2000))
      .optional()
      .describe("What other fields say that the list needs: `choicesNeed` in the schema of the field."),
    refresh: z.boolean().optional().describe("Whether to ask the provider although it was asked within a minute."),
  })
  .meta({ id: "ChoicesRequest" });
export type ChoicesRequest = z.infer<typeof choicesRequest>;

export const choiceList = z
  .object({
    data: z.array(z.object({ value: z.string(), title: z.string().optional().describe("What people read.") })),
    hasMore: z.boolean().describe("Whether there are more than these: a longer `search` finds them."),
  })
  .meta({ id: "ChoiceList" });
export type ChoiceList = z.infer<typeof choiceList>;
