import type { SafeFetch } from "../base/safe-fetch.ts";
import { listAt, textAt } from "../contract/read.ts";
import type { ModelConfig, ModelProvider } from "./model-contract.ts";

const limitMs = 10_000;

const addresses: Record<ModelProvider, string> = {
  "openai-compatible": "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
};

/** The names of the models that a provider has for this key, for somebody who named another one; none when it does not tell. */
export async function listModels(
  { provider, baseUrl, apiKey = "", headers = {} }: ModelConfig,
  fetch: SafeFetch,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const keys = {
    "openai-compatible": apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
    anthropic: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    gemini: { "x-goog-api-key": apiKey },
  };
  const response = await fetch(`${baseUrl ?? addresses[provider]}/models`, {
    headers: { ...headers, ...keys[provider] },
    timeoutMs: limitMs,
    signal,
  });
  if (!response.ok) return [];
  const answer: unknown = await response.json();
  const models = [...listAt(answer, "data"), ...listAt(answer, "models")];
  return models.flatMap((model) => (textAt(model, "id") ?? textAt(model, "name"))?.replace(/^models\//, "") ?? []);
}
