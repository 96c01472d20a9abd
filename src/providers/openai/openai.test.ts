import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type Answer, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { defaultModels } from "../../base/default-models.ts";
import { action as createResponse } from "./create_response.ts";
import { openaiCredential } from "./credential.ts";
import { action as generateImage } from "./generate_image.ts";

const credential = { apiKey: "sk-secret", organization: "org-1" };
const headers = { authorization: "Bearer sk-secret", "openai-organization": "org-1" };
const failure = {
  answer: {
    status: 429,
    json: {
      error: {
        message: "You exceeded your current quota.",
        type: "insufficient_quota",
        param: null,
        code: "insufficient_quota",
      },
    },
  },
  says: /OpenAI refused the call \(429 insufficient_quota\): You exceeded your current quota\./,
};
const message = (...content: unknown[]) => ({ type: "message", role: "assistant", content });
const words = (text: string) => ({ type: "output_text", text, annotations: [] });

describeHttpTool(createResponse, {
  credential,
  failure,
  cases: [
    {
      name: "sends a prompt that is not stored and returns the answer",
      input: { model: "gpt-x", prompt: "Hi" },
      exchanges: [
        {
          request: { method: "POST", path: "/responses", headers, json: { model: "gpt-x", input: "Hi", store: false } },
          answer: {
            json: {
              model: "gpt-x-1",
              status: "completed",
              error: null,
              output: [{ type: "reasoning", summary: [] }, message(words("Hello "), words("you"))],
              usage: { input_tokens: 3, output_tokens: 5 },
            },
          },
        },
      ],
      items: [{ text: "Hello you", model: "gpt-x-1", status: "completed", inputTokens: 3, outputTokens: 5 }],
    },
    {
      name: "sends everything that is given and parses the JSON it asked for",
      input: {
        model: "m",
        prompt: '"ü"\n',
        system: "Be brief.",
        maxTokens: 16,
        temperature: 0,
        jsonSchema: { type: "object" },
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/responses",
            json: {
              model: "m",
              input: '"ü"\n',
              instructions: "Be brief.",
              max_output_tokens: 16,
              temperature: 0,
              text: { format: { type: "json_schema", name: "answer", schema: { type: "object" } } },
              store: false,
            },
          },
          answer: { json: { output: [message(words('{"a":'), words("1}"))] } },
        },
      ],
      items: [{ text: '{"a":1}', json: { a: 1 } }],
    },
    {
      name: "shows pictures after earlier messages, with an effort",
      input: {
        model: "m",
        prompt: "Who is it?",
        messages: [
          { role: "user", text: "Hi" },
          { role: "assistant", text: "Hello" },
        ],
        images: [{ imageBase64: "iVBORw0KGgoAAAANSUhEUg==" }, { url: "https://example.com/a.png" }],
        reasoningEffort: "low",
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/responses",
            json: {
              model: "m",
              input: [
                { role: "user", content: "Hi" },
                { role: "assistant", content: "Hello" },
                {
                  role: "user",
                  content: [
                    { type: "input_text", text: "Who is it?" },
                    { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==" },
                    { type: "input_image", image_url: "https://example.com/a.png" },
                  ],
                },
              ],
              reasoning: { effort: "low" },
              store: false,
            },
          },
          answer: { json: { status: "completed", output: [message(words("Ann"))] } },
        },
      ],
      items: [{ text: "Ann", status: "completed" }],
    },
    {
      name: "returns the text of JSON that was cut off",
      input: { model: "m", prompt: "p", jsonSchema: {} },
      exchanges: [
        {
          request: { method: "POST", path: "/responses", json: expect.anything() },
          answer: {
            json: {
              status: "incomplete",
              incomplete_details: { reason: "max_output_tokens" },
              output: [message(words('{"a":'))],
            },
          },
        },
      ],
      items: [
        {
          text: '{"a":',
          status: "incomplete",
          cutOff: "The answer was cut off where its tokens ended. Give a larger maxTokens.",
        },
      ],
    },
  ],
});

async function callWith(answer: Answer): Promise<unknown> {
  const provider = await startFakeProvider();
  try {
    provider.script([answer]);
    return await callTool(createResponse, {
      input: { model: "m", prompt: "p" },
      credential: { ...credential, baseUrl: provider.url },
    });
  } finally {
    await provider.stop();
  }
}

it("reports a response that failed although the status is 200", async () => {
  const failed = callWith({
    json: { status: "failed", error: { code: "server_error", message: "The model failed." }, output: [] },
  });
  await expect(failed).rejects.toMatchObject({
    code: "provider_error",
    message: "OpenAI refused the call (server_error): The model failed.",
  });
});

it("reports a prompt the model declines", async () => {
  const declined = callWith({
    json: { status: "completed", output: [message({ type: "refusal", refusal: "I cannot help with that." })] },
  });
  await expect(declined).rejects.toMatchObject({
    code: "provider_error",
    message: "OpenAI refused the call (refusal): I cannot help with that.",
  });
});

describeHttpTool(generateImage, {
  credential: { apiKey: "sk-secret" },
  failure,
  cases: [
    {
      name: "generates an image",
      input: { prompt: "A cat" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/images/generations",
            headers: { authorization: "Bearer sk-secret" },
            json: { prompt: "A cat", model: defaultModels.openaiImage, size: "1024x1024", quality: "auto" },
          },
          answer: { json: { created: 1, output_format: "webp", data: [{ b64_json: "aGk=" }] } },
        },
      ],
      items: [{ imageBase64: "aGk=", mimeType: "image/webp", bytes: 2 }],
    },
    {
      name: "asks older models for the image itself",
      input: { prompt: 'ü "q"\n', model: "dall-e-3", size: "1792x1024", quality: "high" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/images/generations",
            json: {
              prompt: 'ü "q"\n',
              model: "dall-e-3",
              size: "1792x1024",
              quality: "high",
              response_format: "b64_json",
            },
          },
          answer: { json: { data: [{ b64_json: "aGk=", revised_prompt: "A grey cat" }] } },
        },
      ],
      items: [{ imageBase64: "aGk=", mimeType: "image/png", bytes: 2, revisedPrompt: "A grey cat" }],
    },
  ],
});

it("refuses fewer tokens than OpenAI takes", async () => {
  const outcome = callTool(createResponse, { input: { model: "m", prompt: "x", maxTokens: 15 }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/maxTokens" }] });
});

it("checks the credential by listing models", async () => {
  expect(await useCredential(openaiCredential, credential, [{ json: { data: [] } }])).toMatchObject([
    { path: "/models", headers },
  ]);
});
