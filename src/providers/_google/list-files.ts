import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";

const listSize = 200;
const driveOrigin = "https://www.googleapis.com";

type Kind = "folder" | "spreadsheet" | "document";

/** Files of the account by a part of their name, the latest first. Only Drive has such a list, so other services need its scope, too. */
export const listDriveFiles =
  (kind?: Kind) =>
  async ({ http, search, credential }: ChoicesCall): Promise<Choice[]> => {
    const conditions = [
      "trashed = false",
      kind ? `mimeType = 'application/vnd.google-apps.${kind}'` : "mimeType != 'application/vnd.google-apps.folder'",
      ...(search.trim() === "" ? [] : [`name contains '${search.trim().replaceAll(/['\\]/g, "\\$&")}'`]),
    ];
    const answer = await http.json({
      // An account with an address of its own has all of Google behind it.
      path: `${textAt(credential, "baseUrl") ?? driveOrigin}/drive/v3/files`,
      query: {
        q: conditions.join(" and "),
        corpora: "allDrives",
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
        orderBy: "modifiedTime desc",
        fields: "files(id,name)",
        pageSize: listSize,
      },
    });
    return toChoices(listAt(answer, "files"), (file) => ({ value: textAt(file, "id"), title: textAt(file, "name") }));
  };
