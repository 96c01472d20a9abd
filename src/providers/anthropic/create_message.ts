import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { defineAction } from "../../contract/action.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import {
  cutOffOutput,
  imagesInput,
  jsonSchemaInput,
  messagesInput,
  type Picture,
  parseAnswer,
  readImages,
  sayCutOff,
} from "../_models/conversation.ts";
import { listModels, unknownModel } from "./client.ts";
import { anthropicCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const action = defineAction({
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
    maxTokens: z
      .int()
      .min(1)
      .default(1024)
      .describe(
        "Most output tokens, with those the model thinks with; an answer that needs more is cut off (stopReason max_tokens). 8192 in a workflow.",
      ),
    messages: messagesInput(),
    images: imagesInput(),
    jsonSchema: jsonSchemaInput(),
    effort: z
      .enum(["low", "medium", "high", "xhigh", "max"])
      .optional()
      .describe(
        "How much the model thinks and writes; what the model does by itself when absent. Not every model takes it.",
      ),
    temperature: z.number().min(0).max(1).optional().describe("Sampling temperature 0-1. Not every model takes it."),
  }),
  nodeDefaults: { maxTokens: 8192 },
  output: z.object({
    text: z.string().describe("Joined text blocks."),
    json: z.unknown().optional().describe("Parsed, when a schema was given and the answer was not cut off."),
    model: z.string().optional().describe("Model used."),
    stopReason: z.string().optional().describe("Why it stopped."),
    cutOff: cutOffOutput(),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({
    input: { model, prompt, system, maxTokens, messages = [], images, jsonSchema, effort, temperature },
    http,
  }) {
    const earlier = messages.map(({ role, text }) => ({ role, content: text }));
    const json = {
      model,
      max_tokens: maxTokens,
      system,
      temperature,
      messages: [...earlier, { role: "user", content: toContent(prompt, readImages(images)) }],
      output_config:
        jsonSchema || effort
          ? { effort, format: jsonSchema && { type: "json_schema", schema: jsonSchema } }
          : undefined,
    };
    const message = await nameModels({ unknownCode: unknownModel, list: () => listModels(http) }, () =>
      http.json({ method: "POST", path: "/v1/messages", json, timeoutMs }),
    );
    if (!Array.isArray(at(message, "content")))
      throw providerFailure("Anthropic", { message: "the answer has no content" });
    const blocks = listAt(message, "content").filter((block) => textAt(block, "type") === "text");
    const text = blocks.map((block) => textAt(block, "text") ?? "").join("");
    return [
      {
        text,
        ...(jsonSchema ? { json: parseAnswer(text) } : {}),
        model: textAt(message, "model"),
        stopReason: textAt(message, "stop_reason"),
        ...(textAt(message, "stop_reason") === "max_tokens" ? { cutOff: sayCutOff(text) } : {}),
        inputTokens: integerAt(message, "usage", "input_tokens"),
        outputTokens: integerAt(message, "usage", "output_tokens"),
      },
    ];
  },
});

/** Pictures come first, as Anthropic advises. */
const toContent = (prompt: string, pictures: ReturnType<typeof readImages>) =>
  pictures.length === 0
    ? prompt
    : [...pictures.map((picture) => ({ type: "image", source: toSource(picture) })), { type: "text", text: prompt }];

const toSource = (picture: Picture | { url: string }) =>
  "url" in picture
    ? { type: "url", url: picture.url }
    : { type: "base64", media_type: picture.mimeType, data: picture.base64 };
