import { expect, it } from "vitest";
import { describeHttpTool } from "../../../test/support/describe-tool.ts";
import { useCredential } from "../../../test/support/use-credential.ts";
import { tool as createMessage } from "./create_message.ts";
import { anthropicCredential } from "./credential.ts";

const credential = { apiKey: "sk-ant-secret" };
const headers = { "x-api-key": "sk-ant-secret", "anthropic-version": "2023-06-01" };

describeHttpTool(createMessage, {
  credential,
  failure: {
    answer: { status: 529, json: { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" } },
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
      name: "sends everything that is given",
      input: { model: "m/ü?", prompt: 'a "b"\n\u{1f600}', system: "Be brief.", maxTokens: 7 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/messages",
            json: { model: "m/ü?", max_tokens: 7, system: "Be brief.", messages: [{ role: "user", content: 'a "b"\n\u{1f600}' }] },
          },
          answer: { json: { content: [], stop_reason: null } },
        },
      ],
      items: [{ text: "" }],
    },
  ],
});

it("checks the credential by listing models, again when Anthropic is overloaded", async () => {
  const overloaded = { status: 529, json: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } };
  const asked = await useCredential(anthropicCredential, credential, [overloaded, { json: { data: [] } }]);
  expect(asked).toMatchObject([{ path: "/v1/models", headers }, { path: "/v1/models" }]);
});
