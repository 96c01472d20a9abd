import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { booleanAt, listAt, textAt } from "../../contract/read.ts";

export const unknownModel = "model_not_found";

export async function listModels(http: Http): Promise<Choice[]> {
  return listAt(await http.json({ path: "/v1/models" })).flatMap((model) => {
    const value = textAt(model, "model_id");
    const speaks = booleanAt(model, "can_do_text_to_speech") === true;
    return value === undefined || !speaks ? [] : [{ value, title: textAt(model, "name") }];
  });
}

const voicesListed = 100;

/** Voices of the account by a part of their name. */
export async function listVoices({ http, search }: ChoicesCall): Promise<Choice[]> {
  const query = { search: search.trim() || undefined, page_size: voicesListed };
  return toChoices(listAt(await http.json({ path: "/v2/voices", query }), "voices"), (voice) => ({
    value: textAt(voice, "voice_id"),
    title: textAt(voice, "name"),
  }));
}
