import { describe, expect, it } from "vitest";
import { callTool } from "../../test/support/gateway/call-tool.ts";
import { type Answer, startFakeProvider } from "../../test/support/providers/fake-provider.ts";
import { action as createMessage } from "../providers/anthropic/create_message.ts";
import { action as textToSpeech } from "../providers/elevenlabs/text_to_speech.ts";
import { action as generateContent } from "../providers/gemini/generate_content.ts";
import { action as createResponse } from "../providers/openai/create_response.ts";
import { action as generateImage } from "../providers/openai/generate_image.ts";
import type { Action } from "./action.ts";

const apiKey = "key-secret";
const openaiModels = {
  object: "list",
  data: [
    { id: "gpt-old", object: "model", created: 1, owned_by: "openai", shutdown_date: "2027-01-14" },
    { id: "text-embedding-3-small", object: "model", created: 9, owned_by: "openai" },
    { id: "gpt-new", object: "model", created: 5, owned_by: "openai", shutdown_date: null },
    { id: "gpt-image-9", object: "model", created: 7, owned_by: "openai" },
  ],
};
const gone = {
  status: 404,
  json: {
    error: {
      message: "The model `x` does not exist or you do not have access to it.",
      type: "invalid_request_error",
      param: null,
      code: "model_not_found",
    },
  },
};

type Case = {
  tool: Action;
  input: Record<string, unknown>;
  refusal: Answer;
  list: unknown;
  path: string;
  says: string;
};

const cases: Case[] = [
  {
    tool: createResponse,
    input: { model: "x", prompt: "p" },
    refusal: gone,
    list: openaiModels,
    path: "/models",
    says: "This account has gpt-new, gpt-old.",
  },
  {
    tool: generateImage,
    input: { model: "x", prompt: "p" },
    refusal: gone,
    list: openaiModels,
    path: "/models",
    says: "This account has gpt-image-9.",
  },
  {
    tool: createMessage,
    input: { model: "x", prompt: "p" },
    refusal: {
      status: 404,
      json: { type: "error", error: { type: "not_found_error", message: "model: x" }, request_id: "req_1" },
    },
    list: {
      data: [{ type: "model", id: "claude-a", display_name: "Claude A", created_at: "2026-10-07T00:00:00Z" }],
      has_more: false,
    },
    path: "/v1/models?limit=100",
    says: "(404 not_found_error): model: x. This account has claude-a.",
  },
  {
    tool: generateContent,
    input: { model: "x", prompt: "p" },
    refusal: {
      status: 404,
      json: { error: { code: 404, message: "models/x is not found for API version v1beta.", status: "NOT_FOUND" } },
    },
    list: {
      models: [
        {
          name: "models/gemini-a",
          displayName: "Gemini A",
          supportedGenerationMethods: ["generateContent", "countTokens"],
        },
        { name: "models/embedding-a", displayName: "Embedding", supportedGenerationMethods: ["embedContent"] },
      ],
    },
    path: "/v1beta/models?pageSize=1000",
    says: "This account has gemini-a.",
  },
  {
    tool: textToSpeech,
    input: { voiceId: "v", text: "t", modelId: "x" },
    refusal: {
      status: 400,
      json: { detail: { status: "model_not_found", message: "A model with model ID x does not exist." } },
    },
    list: [
      { model_id: "eleven_a", name: "Eleven A", can_do_text_to_speech: true },
      { model_id: "eleven_sts", name: "Changer", can_do_text_to_speech: false },
    ],
    path: "/v1/models",
    says: "This account has eleven_a.",
  },
];

async function call({ tool, input }: Case, answers: Answer[]) {
  const provider = await startFakeProvider();
  try {
    provider.script(answers);
    const refusal = await callTool(tool, { input, credential: { apiKey, baseUrl: provider.url } }).catch(
      (error: unknown) => error,
    );
    return { refusal: refusal as Error, paths: provider.requests().map(({ path }) => path) };
  } finally {
    await provider.stop();
  }
}

describe("a model that is not there", () => {
  it.each(cases)("is answered by $tool.id with those that are", async (one) => {
    const { refusal, paths } = await call(one, [one.refusal, { json: one.list }]);
    expect(refusal).toMatchObject({ code: "provider_error", message: expect.stringContaining(one.says) });
    expect(paths).toHaveLength(2);
    expect(paths[1]).toBe(one.path);
  });

  // As they were seen: whoever draws has words of its own, and not always a code.
  it.each([
    {
      message: "The model 'x' does not exist.",
      type: "image_generation_user_error",
      param: "model",
      code: "invalid_value",
    },
    { message: "Model not found x", type: "invalid_request_error", param: "model", code: null },
    {
      message: "The model `x` has been deprecated, learn more.",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  ])("is known by what is said of it: $message", async (error) => {
    const { refusal } = await call(cases[1] as Case, [{ status: 400, json: { error } }, { json: openaiModels }]);
    expect(refusal.message).toContain("This account has gpt-image-9.");
  });

  it.each([
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "`temperature` is deprecated for this model.",
    "The file with this id does not exist.",
  ])("is not what is said by: %s", async (message) => {
    const { paths } = await call(cases[0] as Case, [{ status: 400, json: { error: { message, code: "no" } } }]);
    expect(paths).toHaveLength(1);
  });

  it("is refused in the provider's own words where the list cannot be had", async () => {
    const { refusal } = await call(cases[0] as Case, [gone, { status: 403, json: {} }]);
    expect(refusal.message).toMatch(/do not have access to it\.$/);
  });

  it("names no more than twenty", async () => {
    const data = Array.from({ length: 130 }, (_, index) => ({ id: `gpt-${index}`, created: -index }));
    const { refusal } = await call(cases[0] as Case, [gone, { json: { data } }]);
    expect(refusal.message).toMatch(/gpt-19 and 110 more\.$/);
  });

  it("is not looked for after another refusal", async () => {
    const { paths } = await call(cases[0] as Case, [
      { status: 400, json: { error: { message: "no", code: "invalid_prompt" } } },
    ]);
    expect(paths).toHaveLength(1);
  });
});
