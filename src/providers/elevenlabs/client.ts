import type { Choice } from "../../contract/credential.ts";
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
