import { setTimeout as delay } from "node:timers/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type FinishReason, generateText, jsonSchema, type LanguageModel, Output } from "ai";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { createScrub } from "../base/scrub.ts";
import { providerFailure } from "../contract/http.ts";
import { saysModelIsMissing, withNames } from "../contract/name-models.ts";
import { readRetryAfterMs } from "../contract/retry-after.ts";
import { listModels } from "./list-models.ts";
import type { Model, ModelAnswer, ModelConfig, Question } from "./model-contract.ts";
import { readModelJson } from "./read-model-json.ts";

// Otherwise the library writes to the console what a provider does not support.
globalThis.AI_SDK_LOG_WARNINGS = false;

// A long answer takes minutes; the node's own time limit comes first.
const timeoutMs = 600_000;
// Who asks for more is asked again by the retries of the node, which hold no slot meanwhile.
const longestWaitMs = 60_000;
const usualWaitMs = 2_000;

export function connectModel({ config, fetch }: { config: ModelConfig; fetch: SafeFetch }): Model {
  const model = connect(config, guard(fetch));
  const scrub = createScrub(config.apiKey === undefined ? [] : [config.apiKey]);

  const ask = ({ system, prompt, signal }: Question) => ({
    model,
    instructions: scrub.text(system),
    prompt: scrub.text(prompt),
    // The library would wait past the caller's time, and come back too early to who asks for more than a minute.
    maxRetries: 0,
    ...(signal ? { abortSignal: signal } : {}),
  });

  /** Who asked for a model that is not there, or no longer, is told which ones are. */
  async function explainAll(error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const failure = explain(error, signal, scrub.text);
    if (!(failure instanceof Refusal) || !(failure.provider?.status === 404 || saysModelIsMissing(failure)))
      return failure;
    return withNames(failure, (await listModels(config, fetch, signal).catch(() => [])).map(scrub.text));
  }

  return {
    name: config.model,

    async answer(question) {
      try {
        const { text, finishReason } = await repeatWhenBusy(question, () => generateText(ask(question)));
        if (text.trim() === "")
          throw new Refusal("provider_error", emptyAnswers[finishReason] ?? "The language model gave an empty answer.");
        return scrub.text(text);
      } catch (error) {
        throw await explainAll(error, question.signal);
      }
    },

    async answerAs(schema, question) {
      try {
        let written = "";
        // The library would throw away what is not bare JSON.
        const parseCompleteOutput = async ({ text }: { text: string }) => {
          written = text;
        };
        const output = { ...Output.object({ schema: jsonSchema(schema), name: "parameters" }), parseCompleteOutput };
        const providerOptions = { model: { strictJsonSchema: false } };
        const { text, finishReason } = await repeatWhenBusy(question, () =>
          generateText({ ...ask(question), output, providerOptions }),
        );
        return scrub.value(judge(written || text, finishReason)) as ModelAnswer;
      } catch (error) {
        throw await explainAll(error, question.signal);
      }
    },
  };
}

/** Asks once more who is busy, no sooner than it said. A wait that does not fit into what is left of the caller's time is not begun. */
async function repeatWhenBusy<Answer>({ signal, leftMs }: Question, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!APICallError.isInstance(error) || !error.isRetryable) throw error;
    const waitMs = readRetryAfterMs(new Headers(error.responseHeaders)) ?? usualWaitMs;
    if (waitMs > Math.min(longestWaitMs, leftMs?.() ?? longestWaitMs)) throw error;
    await delay(waitMs, undefined, { signal });
  }
  return await work();
}

const emptyAnswers: Partial<Record<FinishReason, string>> = {
  "content-filter": "The language model refused to answer, without saying why.",
  length: "The answer of the language model was cut off before its first word.",
};

function judge(words: string, finishReason: FinishReason): ModelAnswer {
  if (finishReason === "content-filter") return { is: "refused", words };
  const value = readModelJson(words);
  // What is whole in a text that broke off need not be what it was to say.
  if (finishReason === "length" && !isWhole(words)) return { is: "cut off", words };
  return value === undefined ? { is: "text", words } : { is: "value", value, words };
}

function isWhole(words: string): boolean {
  try {
    JSON.parse(words);
    return true;
  } catch {
    return false;
  }
}

function connect(
  { provider, model, baseUrl, apiKey, headers = {} }: ModelConfig,
  fetch: typeof globalThis.fetch,
): LanguageModel {
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
  if (error instanceof Refusal) return error.reworded(scrub);
  if (APICallError.isInstance(error)) {
    if (error.cause instanceof Refusal) return error.cause.reworded(scrub);
    const { statusCode, message, responseHeaders = {} } = error;
    const retryAfterMs = readRetryAfterMs(new Headers(responseHeaders));
    const status = statusCode === undefined ? {} : { status: statusCode };
    return providerFailure("The language model", { ...status, message: scrub(message), retryAfterMs });
  }
  const words = error instanceof Error ? scrub(error.message).slice(0, 500) : "";
  return new Refusal(
    "provider_error",
    `The language model gave no answer that can be used${words === "" ? "" : `: ${words}`}.`,
  );
}
