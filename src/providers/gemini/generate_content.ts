import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { path, providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { booleanAt, integerAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { listModels, unknownModel } from "./client.ts";
import { geminiCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const tool = defineTool({
  id: "gemini_generate_content",
  title: "Generate content",
  description: "Send a prompt to a Gemini model and return its answer.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: geminiCredential,
  input: z.strictObject({
    model: z.string().min(1).describe(`Model id without models/, e.g. ${defaultModels.gemini}.`).meta({ choices: "models" }),
    prompt: z.string().min(1).describe("User message."),
    system: z.string().optional().describe("System instruction."),
    maxTokens: z.int().optional().describe("Most output tokens."),
    temperature: z.number().min(0).max(2).optional().describe("Sampling temperature 0-2."),
  }),
  output: z.object({
    text: z.string().describe("Joined text parts of the first candidate."),
    model: z.string().optional().describe("Model version."),
    finishReason: z.string().optional().describe("Why it stopped, e.g. STOP or MAX_TOKENS."),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({ input: { model, prompt, system, maxTokens, temperature }, http }) {
    const json = {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      generationConfig: { maxOutputTokens: maxTokens, temperature },
    };
    const answer = await nameModels({ unknownCode: unknownModel, list: () => listModels(http) }, () =>
      http.json({ method: "POST", path: path`/v1beta/models/${model}:generateContent`, json, timeoutMs }),
    );
    const candidates = listAt(answer, "candidates");
    const blockReason = textAt(answer, "promptFeedback", "blockReason");
    if (candidates.length === 0 && blockReason !== undefined) {
      throw providerFailure("Google Gemini", { code: blockReason, message: "the prompt was blocked" });
    }
    if (candidates.length === 0) throw providerFailure("Google Gemini", { message: "the answer has no candidates" });
    return [
      {
        text: readText(listAt(candidates, 0, "content", "parts")),
        model: textAt(answer, "modelVersion"),
        finishReason: textAt(candidates, 0, "finishReason"),
        inputTokens: integerAt(answer, "usageMetadata", "promptTokenCount"),
        outputTokens: integerAt(answer, "usageMetadata", "candidatesTokenCount"),
      },
    ];
  },
});

/** Without what the model only thought. */
const readText = (parts: unknown[]) =>
  parts
    .filter((part) => booleanAt(part, "thought") !== true)
    .map((part) => textAt(part, "text") ?? "")
    .join("");
