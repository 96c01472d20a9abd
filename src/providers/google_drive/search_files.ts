import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { integerAt, listAt, textAt } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDriveCredential } from "./credential.ts";

export const action = defineAction({
  id: "google_drive_search_files",
  title: "Search files",
  description: "Search files with Drive query syntax.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleDriveCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Drive query, e.g. name contains 'x'."),
    folderId: z
      .string()
      .optional()
      .describe("Only in this folder: its id or web address, e.g. https://drive.google.com/drive/folders/….")
      .meta({ choices: "folders" }),
    driveId: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Only in this shared drive: its id or web address, e.g. https://drive.google.com/drive/folders/…. All drives when absent.",
      )
      .meta({ choices: "drives" }),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("File id."),
    name: z.string().optional().describe("File name."),
    mimeType: z.string().optional().meta({ title: "MIME type" }).describe("Media type, e.g. application/pdf."),
    size: z.int().optional().describe("In bytes; Google documents have none."),
    modifiedTime: z.string().optional().describe("Time of the last change, RFC 3339."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input: { query, folderId, driveId, limit }, http }) {
    const q = buildQuery(query, readGoogleId("/folderId", folderId ?? ""));
    const drive =
      driveId === undefined
        ? { corpora: "allDrives" }
        : { corpora: "drive", driveId: readGoogleId("/driveId", driveId) };
    const fields = "nextPageToken,files(id,name,mimeType,size,modifiedTime,webViewLink)";
    const files = await collectPages<unknown, string>(limit, async (pageToken, wanted) => {
      const allDrives = { ...drive, supportsAllDrives: true, includeItemsFromAllDrives: true };
      const answer = await http.json({
        path: "/drive/v3/files",
        query: { q, ...allDrives, fields, pageSize: wanted, pageToken },
      });
      return { items: listAt(answer, "files"), next: textAt(answer, "nextPageToken") };
    });
    return files.map((file) => ({
      id: textAt(file, "id"),
      name: textAt(file, "name"),
      mimeType: textAt(file, "mimeType"),
      size: integerAt(file, "size"),
      modifiedTime: textAt(file, "modifiedTime"),
      url: textAt(file, "webViewLink"),
    }));
  },
});

/** What lies in the trash is found only by those who ask for it. */
function buildQuery(query = "", folderId = ""): string {
  const inFolder = folderId === "" ? [] : [`'${folderId.replaceAll(/['\\]/g, "\\$&")}' in parents`];
  const isAsked = /\btrashed\b/i.test(query.replaceAll(/'(?:\\.|[^'\\])*'/g, ""));
  const words = query.trim() === "" ? [] : [query];
  const parts = [...words, ...inFolder, ...(isAsked ? [] : ["trashed = false"])];
  return parts.length === 1 ? parts.join("") : parts.map((part) => (part === query ? `(${part})` : part)).join(" and ");
}
