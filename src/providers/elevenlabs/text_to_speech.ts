import { z } from "zod";
import { defaultModels } from "../../base/default-models.ts";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { nameModels } from "../../contract/name-models.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { listModels, unknownModel } from "./client.ts";
import { elevenlabsCredential } from "./credential.ts";

// Five thousand characters are minutes of speech; the call's own time limit comes first.
const timeoutMs = 600_000;

const formats = [
  ...["mp3_22050_32", "mp3_44100_32", "mp3_44100_64", "mp3_44100_96", "mp3_44100_128", "mp3_44100_192"],
  ...["pcm_8000", "pcm_16000", "pcm_22050", "pcm_24000", "pcm_44100", "pcm_48000", "ulaw_8000", "alaw_8000"],
  ...["opus_48000_32", "opus_48000_64", "opus_48000_96", "opus_48000_128", "opus_48000_192"],
] as const;

export const action = defineAction({
  id: "elevenlabs_text_to_speech",
  title: "Text to speech",
  description: "Synthesise speech audio from text.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: elevenlabsCredential,
  input: z.strictObject({
    voiceId: z
      .string()
      .min(1)
      .describe("Id of the voice, as in ElevenLabs under Voices (Copy voice ID), e.g. 21m00Tcm4TlvDq8ikWAM.")
      .meta({ title: "Voice ID", choices: "voices" }),
    text: z.string().min(1).max(5000).describe("Text to speak."),
    modelId: z
      .string()
      .min(1)
      .default(defaultModels.elevenlabs)
      .describe("Model id.")
      .meta({ title: "Model ID", choices: "models" }),
    outputFormat: z.enum(formats).default("mp3_44100_128").describe("Audio format."),
    stability: z.number().min(0).max(1).optional().describe("Voice stability 0-1."),
    similarityBoost: z.number().min(0).max(1).optional().describe("Similarity 0-1."),
  }),
  defaultModel: { field: "modelId", of: "elevenlabs" },
  output: z.object({
    audioBase64: z.string().describe("The sound as base64."),
    mimeType: z.string().describe("Media type."),
    bytes: z.int().describe("Size."),
  }),
  findBytes: ({ mimeType }) => [{ field: "audioBase64", mimeType }],
  async run({ input: { voiceId, text, modelId, outputFormat, stability, similarityBoost }, http }) {
    const hasSettings = stability !== undefined || similarityBoost !== undefined;
    const settings = hasSettings ? { voice_settings: { stability, similarity_boost: similarityBoost } } : {};
    const response = await nameModels({ unknownCode: unknownModel, list: () => listModels(http) }, () =>
      http.send({
        method: "POST",
        path: path`/v1/text-to-speech/${voiceId}`,
        query: { output_format: outputFormat },
        json: { text, model_id: modelId, ...settings },
        timeoutMs,
      }),
    );
    const mimeType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
    const answer = Buffer.from(await response.arrayBuffer());
    // Anything else, with whatever status, is of somebody in between or of another kind than what was asked for.
    const isSound = answer.length > 0 && (mimeType.startsWith("audio/") || mimeType === "application/octet-stream");
    const sound = requireProof("ElevenLabs", isSound ? answer : undefined, "sound");
    return [{ audioBase64: sound.toString("base64"), mimeType, bytes: sound.length }];
  },
});
