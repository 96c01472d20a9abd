import fc from "fast-check";
import type { ProviderArguments } from "./argument-set.ts";

export const modelArguments: Record<string, ProviderArguments> = {
  anthropic: {
    credentials: [{ apiKey: "sk-ant-x" }],
    tools: {
      anthropic_create_message: {
        minimal: { model: "claude-x", prompt: "hello" },
        full: { model: "claude-x", prompt: "hello", system: "be brief", maxTokens: 64_000 },
      },
    },
  },
  openai: {
    credentials: [{ apiKey: "sk-x" }, { apiKey: "sk-x", organization: "org-1" }],
    tools: {
      openai_create_response: {
        minimal: { model: "gpt-x", prompt: "hello" },
        full: {
          model: "gpt-x",
          prompt: "hello",
          system: "be brief",
          maxTokens: 100,
          temperature: 2,
          jsonSchema: {
            type: "object",
            properties: { a: { type: "string" } },
            required: ["a"],
            additionalProperties: false,
          },
        },
        others: [
          { model: "gpt-x", prompt: "x", maxTokens: 0 },
          { model: "gpt-x", prompt: "x", maxTokens: -1, jsonSchema: {} },
        ],
      },
      openai_generate_image: {
        minimal: { prompt: "a cat" },
        full: { prompt: "a cat", model: "dall-e-3", size: "1792x1024", quality: "high" },
        others: [
          { prompt: "a cat", size: "auto", quality: "low" },
          { prompt: "a cat", model: "dall-e-2" },
        ],
        hints: {
          model: fc.constantFrom("gpt-image-1", "dall-e-2", "dall-e-3"),
          size: fc.constantFrom("auto", "512x512"),
        },
      },
    },
  },
  gemini: {
    credentials: [{ apiKey: "AIzax" }],
    tools: {
      gemini_generate_content: {
        minimal: { model: "gemini-x", prompt: "hello" },
        // It came after the description.
        isUndescribed: ({ thinkingLevel }) => thinkingLevel !== undefined,
        full: { model: "gemini-x", prompt: "hello", system: "be brief", maxTokens: 100, temperature: 0.5 },
        others: [
          { model: "models/gemini-x", prompt: "x" },
          { model: "tunedModels/x", prompt: "x", maxTokens: 0 },
        ],
        hints: { model: fc.constantFrom("gemini-2.5-pro", "gemini-x") },
      },
    },
  },
  deepl: {
    credentials: [{ apiKey: "key" }, { apiKey: "key:fx" }],
    tools: {
      deepl_translate_text: {
        minimal: { texts: ["hello"], targetLang: "DE" },
        full: {
          texts: Array.from({ length: 50 }, (_, index) => `text ${index}`),
          targetLang: "en-gb",
          sourceLang: "ZH",
          formality: "prefer_less",
          context: "a letter",
        },
        hints: {
          targetLang: fc.constantFrom("DE", "EN-GB", "pt-br", "ZH-HANS"),
          sourceLang: fc.constantFrom("EN", "de"),
        },
      },
    },
  },
  elevenlabs: {
    credentials: [{ apiKey: "sk_x" }],
    tools: {
      elevenlabs_text_to_speech: {
        minimal: { voiceId: "21m00Tcm4TlvDq8ikWAM", text: "hello" },
        full: {
          voiceId: "21m00Tcm4TlvDq8ikWAM",
          text: "hello",
          modelId: "eleven_turbo_v2_5",
          outputFormat: "pcm_16000",
          stability: 0.5,
          similarityBoost: 1,
        },
        others: [
          { voiceId: "x", text: "x", outputFormat: "opus_48000_64" },
          { voiceId: "x", text: "x", outputFormat: "wav" },
        ],
        hints: { outputFormat: fc.constantFrom("mp3_22050_32", "ulaw_8000", "pcm_44100") },
      },
    },
  },
};
