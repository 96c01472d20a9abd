import { z } from "zod";
import { path } from "../../contract/http.ts";
import { defineTool } from "../../contract/tool.ts";
import { elevenlabsCredential } from "./credential.ts";

// Five thousand characters are minutes of speech; the call's own time limit comes first.
const timeoutMs = 600_000;

export const tool = defineTool({
  id: "elevenlabs_text_to_speech",
  title: "Text to speech",
  description: "Synthesise speech audio from text.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: elevenlabsCredential,
  input: z.strictObject({
    voiceId: z.string().min(1).describe("Voice id.").meta({ title: "Voice ID" }),
    text: z.string().min(1).max(5000).describe("Text to speak."),
    modelId: z.string().min(1).default("eleven_multilingual_v2").describe("Model id.").meta({ title: "Model ID" }),
    outputFormat: z.string().min(1).default("mp3_44100_128").describe("Audio format."),
    stability: z.number().optional().describe("Voice stability 0-1."),
    similarityBoost: z.number().optional().describe("Similarity 0-1."),
  }),
  output: z.object({
    audioBase64: z.string().describe("Audio bytes, base64."),
    mimeType: z.string().describe("Media type."),
    bytes: z.int().describe("Size."),
  }),
  async run({ input: { voiceId, text, modelId, outputFormat, stability, similarityBoost }, http }) {
    const hasSettings = stability !== undefined || similarityBoost !== undefined;
    const settings = hasSettings ? { voice_settings: { stability, similarity_boost: similarityBoost } } : {};
    const response = await http.send({
      method: "POST",
      path: path`/v1/text-to-speech/${voiceId}`,
      query: { output_format: outputFormat },
      json: { text, model_id: modelId, ...settings },
      timeoutMs,
    });
    const audio = Buffer.from(await response.arrayBuffer());
    const mimeType = response.headers.get("content-type")?.split(";")[0]?.trim() ?? "application/octet-stream";
    return [{ audioBase64: audio.toString("base64"), mimeType, bytes: audio.length }];
  },
});
