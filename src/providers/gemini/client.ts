import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { listAt, textAt, textsAt } from "../../contract/read.ts";

export const unknownModel = "NOT_FOUND";

/** Those that answer prompts, without the `models/` that Google puts before their names. */
export async function listModels(http: Http): Promise<Choice[]> {
  const models = listAt(await http.json({ path: "/v1beta/models", query: { pageSize: 1000 } }), "models");
  return models.flatMap((model) => {
    const value = textAt(model, "name")?.replace(/^models\//, "");
    const answers = textsAt(model, "supportedGenerationMethods").includes("generateContent");
    return value === undefined || !answers ? [] : [{ value, title: textAt(model, "displayName") }];
  });
}
