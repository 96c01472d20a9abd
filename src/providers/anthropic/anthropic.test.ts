import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createMessage } from "./create_message.ts";
import { anthropicCredential } from "./credential.ts";

const credential = { apiKey: "sk-ant-secret" };
const headers = { "x-api-key": "sk-ant-secret", "anthropic-version": "2023-06-01" };

describeHttpTool(createMessage, {
  credential,
  failure: {
    answer: {
      status: 529,
      json: { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" },
    },
    says: /Anthropic refused the call \(529 overloaded_error\): Overloaded/,
  },
  cases: [
    {
      name: "sends a prompt and returns the answer",
      input: { model: "claude-x", prompt: "Hi" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/messages",
            headers,
            json: { model: "claude-x", max_tokens: 1024, messages: [{ role: "user", content: "Hi" }] },
          },
          answer: {
            json: {
              model: "claude-x-1",
              stop_reason: "end_turn",
              content: [
                { type: "text", text: "Hello " },
                { type: "thinking", thinking: "hm", text: "no" },
                { type: "text", text: "you" },
              ],
              usage: { input_tokens: 3, output_tokens: 5 },
            },
          },
        },
      ],
      items: [{ text: "Hello you", model: "claude-x-1", stopReason: "end_turn", inputTokens: 3, outputTokens: 5 }],
    },
    {
      name: "shows pictures after earlier messages, and parses the JSON it asked for",
      input: {
        model: "m",
        prompt: "Who is it?",
        messages: [
          { role: "user", text: "Hi" },
          { role: "assistant", text: "Hello" },
        ],
        images: [{ imageBase64: "iVBORw0KGgoAAAANSUhEUg==" }, { url: "https://example.com/a.png" }],
        jsonSchema: { type: "object" },
        effort: "low",
        temperature: 0,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/messages",
            json: {
              model: "m",
              max_tokens: 1024,
              temperature: 0,
              messages: [
                { role: "user", content: "Hi" },
                { role: "assistant", content: "Hello" },
                {
                  role: "user",
                  content: [
                    {
                      type: "image",
                      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAANSUhEUg==" },
                    },
                    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
                    { type: "text", text: "Who is it?" },
                  ],
                },
              ],
              output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
            },
          },
          answer: { json: { content: [{ type: "text", text: '{"a":1}' }], stop_reason: "end_turn" } },
        },
      ],
      items: [{ text: '{"a":1}', json: { a: 1 }, stopReason: "end_turn" }],
    },
    {
      name: "sends everything that is given",
      input: { model: "m/ü?", prompt: 'a "b"\n\u{1f600}', system: "Be brief.", maxTokens: 7 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/messages",
            json: {
              model: "m/ü?",
              max_tokens: 7,
              system: "Be brief.",
              messages: [{ role: "user", content: 'a "b"\n\u{1f600}' }],
            },
          },
          answer: { json: { content: [{ type: "text", text: "Be" }], stop_reason: "max_tokens" } },
        },
      ],
      items: [
        {
          text: "Be",
          stopReason: "max_tokens",
          cutOff: "The answer was cut off where its tokens ended. Give a larger maxTokens.",
        },
      ],
    },
  ],
});

it("checks the credential by listing models, again when Anthropic is overloaded", async () => {
  const overloaded = {
    status: 529,
    json: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  };
  const asked = await useCredential(anthropicCredential, credential, [overloaded, { json: { data: [] } }]);
  expect(asked).toMatchObject([{ path: "/v1/models", headers }, { path: "/v1/models" }]);
});

it.each([
  [{ imageBase64: "aGk=" }, "/images/1/imageBase64"],
  [{}, "/images/1"],
  [{ imageBase64: "iVBORw0KGgoAAAANSUhEUg==", url: "https://example.com/a.png" }, "/images/1"],
])("refuses the picture %j before it is sent", async (image, pointer) => {
  const input = { model: "m", prompt: "p", images: [{ url: "https://example.com/a.png" }, image] };
  await expect(callTool(createMessage, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer }],
  });
});
