import type { JsonSchema } from "../catalog/json-schema.ts";

export type ModelProvider = "openai-compatible" | "anthropic" | "gemini";

export type ModelConfig = {
  provider: ModelProvider;
  model: string;
  /** With the version, e.g. ending in /v1; the provider's own unless given. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  headers?: Record<string, string>;
};

export type Question = { system: string; prompt: string; signal?: AbortSignal | undefined };

export type Model = {
  /** As its provider calls it. */
  name: string;
  answer: (question: Question) => Promise<string>;
  /** What the model gave as JSON of that schema, unchecked; undefined when it gave no JSON. */
  answerAs: (schema: JsonSchema, question: Question) => Promise<unknown>;
};
