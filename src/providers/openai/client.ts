import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { listAt, numberAt, textAt } from "../../contract/read.ts";

export const unknownModel = "model_not_found";

// The list says nothing of what a model is for, so its name must.
const otherPurposes = /image|dall-e|tts|whisper|transcribe|audio|realtime|embedding|moderation|sora|babbage|davinci/;

export const listTextModels = (http: Http): Promise<Choice[]> => listModels(http, (id) => !otherPurposes.test(id));

export const listImageModels = (http: Http): Promise<Choice[]> => listModels(http, (id) => /image|dall-e/.test(id));

/** The newest first. A model whose end is known says so. */
async function listModels(http: Http, isWanted: (id: string) => boolean): Promise<Choice[]> {
  return listAt(await http.json({ path: "/models" }), "data")
    .map((model) => ({
      id: textAt(model, "id") ?? "",
      created: numberAt(model, "created") ?? 0,
      end: textAt(model, "shutdown_date"),
    }))
    .filter(({ id }) => id !== "" && isWanted(id))
    .sort((one, other) => other.created - one.created)
    .map(({ id, end }) => ({ value: id, title: end === undefined ? undefined : `${id} (ends ${end})` }));
}
