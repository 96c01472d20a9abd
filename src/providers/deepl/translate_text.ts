import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { deeplCredential } from "./credential.ts";

export const action = defineAction({
  id: "deepl_translate_text",
  title: "Translate text",
  description: "Translate one or more texts into a target language.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: deeplCredential,
  input: z.strictObject({
    texts: z.array(z.string()).min(1).max(50).describe("Texts to translate (1-50)."),
    targetLang: z
      .string()
      .min(1)
      .describe("Target language code such as DE or EN-GB.")
      .meta({ title: "Target language", choices: "targetLanguages" }),
    sourceLang: z
      .string()
      .min(1)
      .optional()
      .describe("Source language code such as EN; detected when absent.")
      .meta({ title: "Source language", choices: "sourceLanguages" }),
    formality: z
      .enum(["default", "more", "less", "prefer_more", "prefer_less"])
      .optional()
      .describe("Formality preference."),
    context: z.string().optional().describe("Context that is not translated."),
  }),
  output: z.object({
    text: z.string().optional().describe("Translation."),
    detectedSourceLanguage: z.string().optional().describe("Detected language."),
  }),
  async run({ input: { texts, targetLang, sourceLang, formality, context }, http }) {
    const json = { text: texts, target_lang: targetLang, source_lang: sourceLang, formality, context };
    const answer = await http.json({ method: "POST", path: "/v2/translate", json });
    return listAt(answer, "translations").map((translation) => ({
      text: textAt(translation, "text"),
      detectedSourceLanguage: textAt(translation, "detected_source_language"),
    }));
  },
});
