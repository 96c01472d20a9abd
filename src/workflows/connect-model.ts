import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, type LanguageModel, NoObjectGeneratedError, Output, RetryError } from "ai";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { createScrub } from "../base/scrub.ts";
import { providerFailure } from "../contract/http.ts";
import { readRetryAfterMs } from "../contract/retry-after.ts";
import type { Model, ModelConfig, Question } from "./model-contract.ts";

// Otherwise the library writes to the console what a provider does not support.
globalThis.AI_SDK_LOG_WARNINGS = false;

// A long answer takes minutes; the node's own time limit comes first.
const timeoutMs = 600_000;
const mostRepetitions = 1;

export function connectModel({ config, fetch }: { config: ModelConfig; fetch: SafeFetch }): Model {
  const model = connect(config, guard(fetch));
  const scrub = createScrub(config.apiKey === undefined ? [] : [config.apiKey]);

  const ask = ({ system, prompt, signal }: Question) => ({
    model,
    instructions: scrub.text(system),
    prompt: scrub.text(prompt),
    maxRetries: mostRepetitions,
    ...(signal ? { abortSignal: signal } : {}),
  });

  return {
    name: config.model,

    async answer(question) {
      try {
        return scrub.text((await generateText(ask(question))).text);
      } catch (error) {
        throw explain(error, question.signal, scrub.text);
      }
    },

    async answerAs(schema, question) {
      try {
        const output = Output.object({ schema: jsonSchema(schema), name: "parameters" });
        const providerOptions = { model: { strictJsonSchema: false } };
        return scrub.value((await generateText({ ...ask(question), output, providerOptions })).output);
      } catch (error) {
        if (NoObjectGeneratedError.isInstance(error)) return undefined;
        throw explain(error, question.signal, scrub.text);
      }
    },
  };
}

function connect({ provider, model, baseUrl, apiKey, headers = {} }: ModelConfig, fetch: typeof globalThis.fetch): LanguageModel {
  const settings = { headers, fetch, apiKey: apiKey ?? "", ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  if (provider === "anthropic") return createAnthropic(settings)(model);
  if (provider === "gemini") return createGoogle(settings)(model);
  const { apiKey: key, ...open } = settings;
  return createOpenAICompatible({
    baseURL: "https://api.openai.com/v1",
    ...open,
    ...(key === "" ? {} : { apiKey: key }),
    name: "model",
    supportsStructuredOutputs: true,
  })(model);
}

const guard =
  (fetch: SafeFetch): typeof globalThis.fetch =>
  async (address, init = {}) => {
    const { method = "GET", headers, body, signal } = init;
    if (typeof body !== "string" && body !== null && body !== undefined) throw new Error("a model is only sent text");
    return await fetch(address instanceof Request ? address.url : address, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? null,
      signal: signal ?? undefined,
      timeoutMs,
    });
  };

/** The library's errors carry the whole request, so only the provider's words are passed on. */
function explain(error: unknown, signal: AbortSignal | undefined, scrub: (text: string) => string): unknown {
  if (signal?.aborted) return signal.reason;
  const last: unknown = RetryError.isInstance(error) ? error.lastError : error;
  if (last instanceof Refusal) return last.reworded(scrub);
  if (APICallError.isInstance(last)) {
    if (last.cause instanceof Refusal) return last.cause.reworded(scrub);
    const { statusCode, message, responseHeaders = {} } = last;
    const retryAfterMs = readRetryAfterMs(new Headers(responseHeaders));
    const status = statusCode === undefined ? {} : { status: statusCode };
    return providerFailure("The language model", { ...status, message: scrub(message), retryAfterMs });
  }
  const words = last instanceof Error ? scrub(last.message).slice(0, 500) : "";
  return new Refusal("provider_error", `The language model gave no answer that can be used${words === "" ? "" : `: ${words}`}.`);
}
