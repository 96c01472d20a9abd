import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { defineAction } from "../../contract/action.ts";
import { path, providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { booleanAt, integerAt, listAt, textAt } from "../../contract/read.ts";
import {
  cutOffOutput,
  inlineImagesInput,
  jsonSchemaInput,
  messagesInput,
  parseAnswer,
  readPicture,
  sayCutOff,
} from "../_models/conversation.ts";
import { listModels, unknownModel } from "./client.ts";
import { geminiCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const action = defineAction({
  id: "gemini_generate_content",
  title: "Generate content",
  description: "Send a prompt to a Gemini model and return its answer.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: geminiCredential,
  input: z.strictObject({
    model: z
      .string()
      .min(1)
      .describe(`Model id without models/, e.g. ${defaultModels.gemini}.`)
      .meta({ choices: "models" }),
    prompt: z.string().min(1).describe("User message."),
    system: z.string().optional().describe("System instruction."),
    maxTokens: z
      .int()
      .optional()
      .describe("Most output tokens, with those the model thinks with; what the model allows when absent."),
    temperature: z.number().min(0).max(2).optional().describe("Sampling temperature 0-2."),
    messages: messagesInput(),
    images: inlineImagesInput(),
    jsonSchema: jsonSchemaInput(),
    thinkingLevel: z
      .enum(["minimal", "low", "medium", "high"])
      .optional()
      .describe(
        "How much the model thinks before it answers; what the model does by itself when absent. For Gemini 3 and later.",
      ),
  }),
  output: z.object({
    text: z.string().describe("Joined text parts of the first candidate."),
    json: z.unknown().optional().describe("Parsed, when a schema was given and the answer was not cut off."),
    model: z.string().optional().describe("Model version."),
    finishReason: z.string().optional().describe("Why it stopped, e.g. STOP or MAX_TOKENS."),
    cutOff: cutOffOutput(),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({
    input: { model, prompt, system, maxTokens, temperature, messages = [], images = [], jsonSchema, thinkingLevel },
    http,
  }) {
    const pictures = images.map(({ imageBase64 }, index) => readPicture(imageBase64, index));
    const earlier = messages.map(({ role, text }) => ({
      role: role === "assistant" ? "model" : "user",
      parts: [{ text }],
    }));
    const shown = pictures.map(({ mimeType, base64 }) => ({ inlineData: { mimeType, data: base64 } }));
    const json = {
      contents: [...earlier, { role: "user", parts: [...shown, { text: prompt }] }],
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      generationConfig: {
        maxOutputTokens: maxTokens,
        temperature,
        ...(jsonSchema ? { responseMimeType: "application/json", responseJsonSchema: jsonSchema } : {}),
        thinkingConfig: thinkingLevel && { thinkingLevel },
      },
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
    const text = readText(listAt(candidates, 0, "content", "parts"));
    return [
      {
        text,
        ...(jsonSchema ? { json: parseAnswer(text) } : {}),
        model: textAt(answer, "modelVersion"),
        finishReason: textAt(candidates, 0, "finishReason"),
        ...(textAt(candidates, 0, "finishReason") === "MAX_TOKENS" ? { cutOff: sayCutOff(text) } : {}),
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
