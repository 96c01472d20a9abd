import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { geminiCredential } from "./credential.ts";
import { action as generateContent } from "./generate_content.ts";

const credential = { apiKey: "AIza-secret" };
const headers = { "x-goog-api-key": "AIza-secret" };

describeHttpTool(generateContent, {
  credential,
  failure: {
    answer: {
      status: 429,
      json: {
        error: {
          code: 429,
          message: "You exceeded your quota.",
          status: "RESOURCE_EXHAUSTED",
          details: [
            { "@type": "type.googleapis.com/google.rpc.Help" },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37.5s" },
          ],
        },
      },
    },
    says: /Google Gemini refused the call \(429 RESOURCE_EXHAUSTED\): You exceeded your quota\. Try again in 38 s\./,
  },
  cases: [
    {
      name: "sends a prompt and returns the answer without the model's thoughts",
      input: { model: "gemini-x", prompt: "Hi" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1beta/models/gemini-x:generateContent",
            headers,
            json: { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig: {} },
          },
          answer: {
            json: {
              modelVersion: "gemini-x-001",
              candidates: [
                {
                  finishReason: "STOP",
                  content: {
                    role: "model",
                    parts: [{ text: "hm", thought: true }, { text: "Hello " }, { text: "you" }],
                  },
                },
                { finishReason: "STOP", content: { parts: [{ text: "second" }] } },
              ],
              usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5 },
            },
          },
        },
      ],
      items: [{ text: "Hello you", model: "gemini-x-001", finishReason: "STOP", inputTokens: 3, outputTokens: 5 }],
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
        images: [{ imageBase64: "/9j/4AAQ" }],
        jsonSchema: { type: "object" },
        thinkingLevel: "low",
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1beta/models/m:generateContent",
            json: {
              contents: [
                { role: "user", parts: [{ text: "Hi" }] },
                { role: "model", parts: [{ text: "Hello" }] },
                {
                  role: "user",
                  parts: [{ inlineData: { mimeType: "image/jpeg", data: "/9j/4AAQ" } }, { text: "Who is it?" }],
                },
              ],
              generationConfig: {
                responseMimeType: "application/json",
                responseJsonSchema: { type: "object" },
                thinkingConfig: { thinkingLevel: "low" },
              },
            },
          },
          answer: { json: { candidates: [{ finishReason: "STOP", content: { parts: [{ text: '{"a":1}' }] } }] } },
        },
      ],
      items: [{ text: '{"a":1}', json: { a: 1 }, finishReason: "STOP" }],
    },
    {
      name: "sends everything that is given and keeps a strange model in its place",
      input: { model: "tuned/ü?#", prompt: 'a "b"\n', system: "Be brief.", maxTokens: 9, temperature: 0.5 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1beta/models/tuned/ü?#:generateContent",
            json: {
              contents: [{ role: "user", parts: [{ text: 'a "b"\n' }] }],
              systemInstruction: { parts: [{ text: "Be brief." }] },
              generationConfig: { maxOutputTokens: 9, temperature: 0.5 },
            },
          },
          answer: { json: { candidates: [{ finishReason: "MAX_TOKENS" }] } },
        },
      ],
      items: [
        {
          text: "",
          finishReason: "MAX_TOKENS",
          cutOff:
            "The answer was cut off before its first word: the model thought with all its tokens. Give a larger maxTokens, or let it think less.",
        },
      ],
    },
  ],
});

it("reports a blocked prompt as an error", async () => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ json: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: {} } }]);
    const outcome = callTool(generateContent, {
      input: { model: "m", prompt: "p" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(outcome).rejects.toMatchObject({
      code: "provider_error",
      message: "Google Gemini refused the call (PROHIBITED_CONTENT): the prompt was blocked.",
    });
  } finally {
    await provider.stop();
  }
});

it("checks the credential by listing models", async () => {
  expect(await useCredential(geminiCredential, credential, [{ json: { models: [] } }])).toMatchObject([
    { path: "/v1beta/models", headers },
  ]);
});
