import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";

export const listLanguages =
  (type: "source" | "target") =>
  async ({ http }: ChoicesCall): Promise<Choice[]> =>
    toChoices(listAt(await http.json({ path: "/v2/languages", query: { type } })), (language) => ({
      value: textAt(language, "language"),
      title: textAt(language, "name"),
    }));
