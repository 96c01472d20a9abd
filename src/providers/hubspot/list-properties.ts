import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { apiVersions } from "./api-version.ts";

/** What a contact can have, with the names that people see. */
export async function listProperties({ http }: ChoicesCall): Promise<Choice[]> {
  const answer = await http.json({ path: `/crm/${apiVersions.crm.version}/properties/contacts` });
  return toChoices(listAt(answer, "results"), (property) => ({
    value: textAt(property, "name"),
    title: textAt(property, "label"),
  }));
}
