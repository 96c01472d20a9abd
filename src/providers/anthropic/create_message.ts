import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { listModels, unknownModel } from "./client.ts";
import { anthropicCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const tool = defineTool({
  id: "anthropic_create_message",
  title: "Create message",
  description: "Send a prompt to a Claude model and return its answer.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: anthropicCredential,
  input: z.strictObject({
    model: z
      .string()
      .min(1)
      .describe(`Model id, e.g. ${defaultModels.anthropic}. The list is in the Anthropic console under Models.`)
      .meta({ choices: "models" }),
    prompt: z.string().min(1).describe("User message."),
    system: z.string().optional().describe("System prompt."),
    maxTokens: z.int().min(1).default(1024).describe("Most output tokens."),
  }),
  output: z.object({
    text: z.string().describe("Joined text blocks."),
    model: z.string().optional().describe("Model used."),
    stopReason: z.string().optional().describe("Why it stopped."),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({ input: { model, prompt, system, maxTokens }, http }) {
    const json = { model, max_tokens: maxTokens, system, messages: [{ role: "user", content: prompt }] };
    const message = await nameModels({ unknownCode: unknownModel, list: () => listModels(http) }, () =>
      http.json({ method: "POST", path: "/v1/messages", json, timeoutMs }),
    );
    if (!Array.isArray(at(message, "content"))) throw providerFailure("Anthropic", { message: "the answer has no content" });
    const blocks = listAt(message, "content").filter((block) => textAt(block, "type") === "text");
    return [
      {
        text: blocks.map((block) => textAt(block, "text") ?? "").join(""),
        model: textAt(message, "model"),
        stopReason: textAt(message, "stop_reason"),
        inputTokens: integerAt(message, "usage", "input_tokens"),
        outputTokens: integerAt(message, "usage", "output_tokens"),
      },
    ];
  },
});
