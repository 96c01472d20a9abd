import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";

/** Gmail's own labels, which are called as their ids are, and those of the user. */
export async function listLabels(http: Http): Promise<Choice[]> {
  const labels = listAt(await http.json({ path: "/gmail/v1/users/me/labels" }), "labels");
  return labels.flatMap((label) => {
    const value = textAt(label, "id");
    return value === undefined ? [] : [{ value, title: textAt(label, "name") }];
  });
}
