import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../test/support/providers/fake-provider.ts";
import { createAddressRules } from "../base/address-rules.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import { createModel } from "./model.ts";
import type { ModelConfig } from "./model-contract.ts";

const key = "sk-very-secret-key";
const fetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const question = { system: "Be brief.", prompt: `Where is it? My key is ${key}.` };

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(async () => {
  await provider.stop();
  await fetch.close();
});
beforeEach(() => provider.script([]));

const modelOf = (config: Partial<ModelConfig>) =>
  createModel({
    config: { provider: "openai-compatible", model: "m-1", apiKey: key, baseUrl: `${provider.url}/v1`, ...config },
    fetch,
  });

const body = () => JSON.parse(provider.requests().at(-1)?.body.toString() ?? "null") as Record<string, unknown>;
const openai = (content: string) => ({
  json: {
    id: "1",
    created: 1,
    model: "m-1",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
  },
});
const anthropic = (text: string) => ({
  json: {
    id: "1",
    type: "message",
    role: "assistant",
    model: "m-1",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const gemini = (text: string) => ({
  json: { candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }] },
});

const shapes = [
  {
    config: { provider: "openai-compatible" },
    answer: openai,
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}` },
    asks: {
      model: "m-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Where is it? My key is [secret]." },
      ],
    },
    asksFor: { response_format: { type: "json_schema", json_schema: { schema, strict: false } } },
  },
  {
    config: { provider: "anthropic", model: "claude-sonnet-4-5" },
    answer: anthropic,
    path: "/v1/messages",
    headers: { "x-api-key": key },
    asks: {
      model: "claude-sonnet-4-5",
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "Where is it? My key is [secret]." }] }],
    },
    asksFor: { output_config: { format: { type: "json_schema", schema } } },
  },
  {
    config: { provider: "gemini" },
    answer: gemini,
    path: "/v1/models/m-1:generateContent",
    headers: { "x-goog-api-key": key },
    asks: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Where is it? My key is [secret]." }] }],
    },
    asksFor: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } },
  },
] as const;

describe.each(shapes)("a model of $config.provider", ({ config, answer, path, headers, asks, asksFor }) => {
  it("answers a question, and is never shown its own key", async () => {
    provider.script([answer(`In Bern, says ${key}`)]);
    expect(await modelOf(config).answer(question)).toBe("In Bern, says [secret]");
    expect(provider.requests()).toMatchObject([{ method: "POST", path, headers }]);
    expect(body()).toMatchObject(asks);
    expect(provider.requests()[0]?.body.toString()).not.toContain(key);
  });

  it("answers as JSON of a schema", async () => {
    provider.script([answer('{"city": "Bern"}')]);
    expect(await modelOf(config).answerAs(schema, question)).toEqual({
      is: "value",
      value: { city: "Bern" },
      words: '{"city": "Bern"}',
    });
    expect(body()).toMatchObject(asksFor);
  });

  it("gives its words when its answer is no JSON, without the key", async () => {
    provider.script([answer(`Bern, of course, ${key}`)]);
    expect(await modelOf(config).answerAs(schema, question)).toEqual({
      is: "text",
      words: "Bern, of course, [secret]",
    });
  });

  it("says so when it answers a question with nothing", async () => {
    provider.script([answer("")]);
    await expect(modelOf(config).answer(question)).rejects.toMatchObject({
      code: "provider_error",
      message: "The language model gave an empty answer.",
    });
  });

  it("says what the provider said, without the key", async () => {
    provider.script([
      {
        status: 401,
        json: {
          type: "error",
          error: {
            type: "authentication_error",
            code: 401,
            status: "UNAUTHENTICATED",
            message: `The key ${key} is wrong`,
          },
        },
      },
    ]);
    await expect(modelOf(config).answer(question)).rejects.toMatchObject({
      code: "provider_error",
      message: "The language model refused the call (401): The key [secret] is wrong.",
    });
  });
});

describe("a model", () => {
  it("needs no key where the server needs none", async () => {
    provider.script([openai("Hi")]);
    expect(await modelOf({ apiKey: undefined }).answer({ system: "", prompt: "x" })).toBe("Hi");
    expect(provider.requests()[0]?.headers).not.toHaveProperty("authorization");
  });

  it("is asked once more when the provider is busy", async () => {
    provider.script([{ status: 503, headers: { "retry-after-ms": "1" }, json: {} }, openai("Hi")]);
    expect(await modelOf({}).answer(question)).toBe("Hi");
  });

  it("is reached only where the guarded fetch may go", async () => {
    const guarded = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: [] }) });
    const model = createModel({
      config: { provider: "openai-compatible", model: "m", baseUrl: provider.url },
      fetch: guarded,
    });
    await expect(model.answer(question)).rejects.toMatchObject({ code: "outbound_refused" });
    expect(provider.requests()).toEqual([]);
    await guarded.close();
  });

  it("is not waited for when the run is cancelled", async () => {
    provider.script([{ hang: true }]);
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const answer = modelOf({}).answer({ ...question, signal: controller.signal });
    const cancelled = expect(answer).rejects.toBe(reason);
    await vi.waitFor(() => expect(provider.requests()).toHaveLength(1), 10_000);
    controller.abort(reason);
    await cancelled;
  });

  it("says when it cannot be reached", async () => {
    const model = createModel({
      config: { provider: "openai-compatible", model: "m", baseUrl: "http://127.0.0.1:1" },
      fetch,
    });
    await expect(model.answer(question)).rejects.toMatchObject({ code: "provider_unreachable" });
  });
});

it("names the models there are when the one it asks for is not there", async () => {
  provider.script([
    {
      status: 404,
      json: {
        error: { message: "The model `m-1` does not exist.", type: "invalid_request_error", code: "model_not_found" },
      },
    },
    { json: { object: "list", data: [{ id: "m-2", object: "model", created: 1 }] } },
  ]);
  await expect(modelOf({}).answer(question)).rejects.toMatchObject({
    code: "provider_error",
    message: "The language model refused the call (404): The model `m-1` does not exist. This account has m-2.",
  });
  expect(provider.requests().at(-1)).toMatchObject({
    method: "GET",
    path: "/v1/models",
    headers: { authorization: `Bearer ${key}` },
  });
});

it("names them also where it is told with 400", async () => {
  provider.script([
    { status: 400, json: { error: { message: "The requested model 'm-1' does not exist.", code: "model_not_found" } } },
    { json: { object: "list", data: [{ id: "m-2", object: "model", created: 1 }] } },
  ]);
  await expect(modelOf({}).answer(question)).rejects.toThrow("This account has m-2.");
  provider.script([{ status: 400, json: { error: { message: "The tool does not exist.", code: "no_tool" } } }]);
  await expect(modelOf({}).answer(question)).rejects.toThrow(/The tool does not exist\.$/);
  expect(provider.requests()).toHaveLength(1);
});

it.each([
  {
    config: { provider: "anthropic" as const },
    list: { data: [{ type: "model", id: "claude-a" }] },
    header: "x-api-key",
    says: "claude-a",
  },
  {
    config: { provider: "gemini" as const },
    list: { models: [{ name: "models/gemini-a" }] },
    header: "x-goog-api-key",
    says: "gemini-a",
  },
])("names those of $config.provider", async ({ config, list, header, says }) => {
  provider.script([
    { status: 404, json: { error: { type: "not_found_error", status: "NOT_FOUND", message: "model: m-1" } } },
    { json: list },
  ]);
  await expect(modelOf(config).answer(question)).rejects.toMatchObject({
    message: expect.stringContaining(`This account has ${says}.`),
  });
  expect(provider.requests().at(-1)).toMatchObject({ path: "/v1/models", headers: { [header]: key } });
});
