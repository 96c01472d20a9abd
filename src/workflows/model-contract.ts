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

export type Question = {
  system: string;
  prompt: string;
  signal?: AbortSignal | undefined;
  /** How much of the caller's time is left. */
  leftMs?: (() => number) | undefined;
};

/** What a model gave where JSON was asked for, and the words it gave it in. */
export type ModelAnswer = { words: string } & (
  | { is: "value"; value: unknown }
  | { is: "refused" | "cut off" | "text" }
);

export type Model = {
  /** As its provider calls it. */
  name: string;
  answer: (question: Question) => Promise<string>;
  /** JSON of that schema, unchecked, or why there is none. */
  answerAs: (schema: JsonSchema, question: Question) => Promise<ModelAnswer>;
};
