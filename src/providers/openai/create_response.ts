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
  parseAnswer,
  readImages,
  sayCutOff,
} from "../_models/conversation.ts";
import { listTextModels, unknownModel } from "./client.ts";
import { openaiCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const action = defineAction({
  id: "openai_create_response",
  title: "Create response",
  description: "Send a prompt to an OpenAI model and return its answer.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: openaiCredential,
  input: z.strictObject({
    model: z
      .string()
      .min(1)
      .describe(`Model id, e.g. ${defaultModels.openai}. The list is in the OpenAI platform under Models.`)
      .meta({ choices: "models" }),
    prompt: z.string().min(1).describe("User message."),
    system: z.string().optional().describe("Instructions."),
    maxTokens: z
      .int()
      .min(16)
      .optional()
      .describe(
        "Most output tokens, with those the model thinks with, at least 16; what the model allows when absent.",
      ),
    temperature: z.number().min(0).max(2).optional().describe("Sampling temperature 0-2."),
    jsonSchema: jsonSchemaInput(),
    messages: messagesInput(),
    images: imagesInput(),
    reasoningEffort: z
      .enum(["none", "minimal", "low", "medium", "high", "xhigh"])
      .optional()
      .describe(
        "How much the model thinks before it answers; what the model does by itself when absent. Not every model takes every value.",
      ),
  }),
  output: z.object({
    text: z.string().describe("Joined output_text parts."),
    json: z.unknown().optional().describe("Parsed, when a schema was given."),
    model: z.string().optional().describe("Model used."),
    status: z.string().optional().describe("How it ended, e.g. completed or incomplete."),
    cutOff: cutOffOutput(),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({
    input: { model, prompt, system, maxTokens, temperature, jsonSchema, messages = [], images, reasoningEffort },
    http,
  }) {
    const text = jsonSchema && { format: { type: "json_schema", name: "answer", schema: jsonSchema } };
    const json = {
      model,
      input: toInput(prompt, messages, readImages(images)),
      instructions: system,
      max_output_tokens: maxTokens,
      temperature,
      text,
      reasoning: reasoningEffort && { effort: reasoningEffort },
      store: false,
    };
    const response = await nameModels({ unknownCode: unknownModel, list: () => listTextModels(http) }, () =>
      http.json({ method: "POST", path: "/responses", json, timeoutMs }),
    );
    const answer = readAnswer(response);
    return [
      {
        text: answer,
        ...(jsonSchema ? { json: parseAnswer(answer) } : {}),
        model: textAt(response, "model"),
        status: textAt(response, "status"),
        ...(textAt(response, "incomplete_details", "reason") === "max_output_tokens"
          ? { cutOff: sayCutOff(answer) }
          : {}),
        inputTokens: integerAt(response, "usage", "input_tokens"),
        outputTokens: integerAt(response, "usage", "output_tokens"),
      },
    ];
  },
});

/** What the model says. A response that failed or was declined comes with status 200. */
function readAnswer(response: unknown): string {
  if (textAt(response, "status") === "failed") {
    throw providerFailure("OpenAI", {
      code: textAt(response, "error", "code"),
      message: textAt(response, "error", "message"),
    });
  }
  if (!Array.isArray(at(response, "output"))) throw providerFailure("OpenAI", { message: "the answer has no output" });
  const parts = listAt(response, "output").flatMap((entry) => listAt(entry, "content"));
  const refusal = parts.map((part) => textAt(part, "refusal")).find((words) => words !== undefined);
  if (refusal !== undefined) throw providerFailure("OpenAI", { code: "refusal", message: refusal });
  return parts.map((part) => (textAt(part, "type") === "output_text" ? (textAt(part, "text") ?? "") : "")).join("");
}

type Earlier = { role: "user" | "assistant"; text: string };

/** A prompt alone goes as a text, which servers that are only like OpenAI's take too. */
function toInput(prompt: string, messages: Earlier[], pictures: ReturnType<typeof readImages>) {
  if (messages.length === 0 && pictures.length === 0) return prompt;
  const shown = pictures.map((picture) => ({
    type: "input_image",
    image_url: "url" in picture ? picture.url : `data:${picture.mimeType};base64,${picture.base64}`,
  }));
  const content = shown.length === 0 ? prompt : [{ type: "input_text", text: prompt }, ...shown];
  return [...messages.map(({ role, text }) => ({ role, content: text })), { role: "user", content }];
}
