import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { listTextModels, unknownModel } from "./client.ts";
import { openaiCredential } from "./credential.ts";

// A long answer takes minutes; the call's own time limit comes first.
const timeoutMs = 600_000;

export const tool = defineTool({
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
    maxTokens: z.int().min(16).optional().describe("Most output tokens, at least 16."),
    temperature: z.number().min(0).max(2).optional().describe("Sampling temperature 0-2."),
    jsonSchema: z.record(z.string(), z.unknown()).optional().describe("Ask for JSON of this schema.").meta({ title: "JSON Schema" }),
  }),
  output: z.object({
    text: z.string().describe("Joined output_text parts."),
    json: z.unknown().optional().describe("Parsed, when a schema was given."),
    model: z.string().optional().describe("Model used."),
    status: z.string().optional().describe("How it ended, e.g. completed or incomplete."),
    inputTokens: z.int().optional().describe("Tokens of the prompt."),
    outputTokens: z.int().optional().describe("Tokens of the answer."),
  }),
  async run({ input: { model, prompt, system, maxTokens, temperature, jsonSchema }, http }) {
    const text = jsonSchema && { format: { type: "json_schema", name: "answer", schema: jsonSchema } };
    const json = { model, input: prompt, instructions: system, max_output_tokens: maxTokens, temperature, text, store: false };
    const response = await nameModels({ unknownCode: unknownModel, list: () => listTextModels(http) }, () =>
      http.json({ method: "POST", path: "/responses", json, timeoutMs }),
    );
    const answer = readAnswer(response);
    return [
      {
        text: answer,
        ...(jsonSchema ? { json: parseJson(answer) } : {}),
        model: textAt(response, "model"),
        status: textAt(response, "status"),
        inputTokens: integerAt(response, "usage", "input_tokens"),
        outputTokens: integerAt(response, "usage", "output_tokens"),
      },
    ];
  },
});

/** What the model says. A response that failed or was declined comes with status 200. */
function readAnswer(response: unknown): string {
  if (textAt(response, "status") === "failed") {
    throw providerFailure("OpenAI", { code: textAt(response, "error", "code"), message: textAt(response, "error", "message") });
  }
  if (!Array.isArray(at(response, "output"))) throw providerFailure("OpenAI", { message: "the answer has no output" });
  const parts = listAt(response, "output").flatMap((entry) => listAt(entry, "content"));
  const refusal = parts.map((part) => textAt(part, "refusal")).find((words) => words !== undefined);
  if (refusal !== undefined) throw providerFailure("OpenAI", { code: "refusal", message: refusal });
  return parts.map((part) => (textAt(part, "type") === "output_text" ? (textAt(part, "text") ?? "") : "")).join("");
}

// An answer that was cut off is not JSON.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
