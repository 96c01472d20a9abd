import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";

export const unknownModel = "not_found_error";

/** The newest first, as Anthropic lists them. */
export async function listModels(http: Http): Promise<Choice[]> {
  const models = listAt(await http.json({ path: "/v1/models", query: { limit: 100 } }), "data");
  return models.flatMap((model) => {
    const value = textAt(model, "id");
    return value === undefined ? [] : [{ value, title: textAt(model, "display_name") }];
  });
}
