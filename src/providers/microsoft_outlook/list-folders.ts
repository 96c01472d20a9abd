import type { Choice } from "../../contract/credential.ts";
import type { Http } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readParameters } from "./read-message.ts";

const mostFolders = 500;

/** The folders of the mailbox, without those inside of others. */
export async function listFolders(http: Http): Promise<Choice[]> {
  const folders = await collectPages<unknown, string>(mostFolders, async (next) => {
    const query = next === undefined ? { $select: "id,displayName", $top: 100 } : readParameters(next);
    const answer = await http.json({ path: "/me/mailFolders", query });
    return { items: listAt(answer, "value"), next: textAt(answer, "@odata.nextLink") };
  });
  return folders.flatMap((folder) => {
    const value = textAt(folder, "id");
    return value === undefined ? [] : [{ value, title: textAt(folder, "displayName") }];
  });
}
