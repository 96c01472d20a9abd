import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";

const pageSize = 100;

/** The shared drives of the account. */
export async function listDrives({ http, most }: ChoicesCall): Promise<Choice[]> {
  const drives = await collectPages<unknown, string>(most, async (pageToken) => {
    const answer = await http.json({ path: "/drive/v3/drives", query: { pageSize, pageToken } });
    return { items: listAt(answer, "drives"), next: textAt(answer, "nextPageToken") };
  });
  return toChoices(drives, (drive) => ({ value: textAt(drive, "id"), title: textAt(drive, "name") }));
}
