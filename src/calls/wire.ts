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
