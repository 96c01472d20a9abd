import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { describeBytes } from "../../base/describe-bytes.ts";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { type Http, path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDriveCredential } from "./credential.ts";

const mostBytes = 10 * 1024 * 1024;

export const action = defineAction({
  id: "google_drive_download_file",
  title: "Download file",
  synonyms: ["read file"],
  description: "Download a file; Google documents are exported as text.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleDriveCredential,
  input: z.strictObject({
    fileId: z
      .string()
      .min(1)
      .describe("Id or web address of the file; google_drive_search_files finds it.")
      .meta({ choices: "files" }),
    exportMimeType: z
      .string()
      .min(1)
      .default("text/plain")
      .describe(
        "Export type for Google documents. Where a kind of document has no text/plain, it is text/csv for sheets and image/png for drawings.",
      )
      .meta({ title: "Export MIME type" }),
  }),
  output: z.object({
    id: z.string().describe("File id."),
    name: z.string().optional().describe("File name."),
    mimeType: z
      .string()
      .optional()
      .describe("Of the content; for Google documents the export type.")
      .meta({ title: "MIME type" }),
    content: z.string().optional().describe("Text, when it is text."),
    contentBase64: z.string().optional().describe("Otherwise base64.").meta({ title: "Content (base64)" }),
    bytes: z.int().describe("Size of the content in bytes."),
  }),
  findBytes: ({ mimeType, name }) => [{ field: "contentBase64", mimeType, name }],
  async run({ input: { exportMimeType, ...input }, http }) {
    const { fileId, file } = await findFile(http, readGoogleId("/fileId", input.fileId));
    const place = path`/drive/v3/files/${fileId}`;
    refuseLarge(integerAt(file, "size"));
    const exportedAs = chooseExport(textAt(file, "mimeType") ?? "", exportMimeType);
    const bytes =
      exportedAs === undefined
        ? await http.bytes({ path: place, query: { alt: "media", supportsAllDrives: true } })
        : await http.bytes({ path: `${place}/export`, query: { mimeType: exportedAs } });
    refuseLarge(bytes.length);
    return [
      {
        id: textAt(file, "id") ?? fileId,
        name: textAt(file, "name"),
        mimeType: exportedAs ?? textAt(file, "mimeType"),
        ...(isText(bytes) ? { content: new TextDecoder().decode(bytes) } : { contentBase64: bytes.toString("base64") }),
        bytes: bytes.length,
      },
    ];
  },
});

/** The file itself, also where a shortcut to it was named. */
async function findFile(http: Http, fileId: string): Promise<{ fileId: string; file: unknown }> {
  const query = { fields: "id,name,mimeType,size,shortcutDetails", supportsAllDrives: true };
  const file = await http.json({ path: path`/drive/v3/files/${fileId}`, query });
  const target = textAt(file, "shortcutDetails", "targetId");
  if (target === undefined) return { fileId, file };
  return { fileId: target, file: await http.json({ path: path`/drive/v3/files/${target}`, query }) };
}

const ofGoogle = "application/vnd.google-apps.";

/** What stands for text where Google exports none. */
const insteadOfText = new Map([
  ["spreadsheet", "text/csv"],
  ["drawing", "image/png"],
  ["script", "application/vnd.google-apps.script+json"],
]);

const withoutContent = new Set(["folder", "form", "map", "site", "shortcut", "fusiontable", "jam", "drive-sdk"]);

/** Undefined for files that have bytes of their own. */
function chooseExport(mimeType: string, wanted: string): string | undefined {
  if (!mimeType.startsWith(ofGoogle)) return undefined;
  const kind = mimeType.slice(ofGoogle.length);
  if (withoutContent.has(kind)) throw refuseInput("/fileId", `names a ${kind}, which Google exports in no form`);
  return wanted === "text/plain" ? (insteadOfText.get(kind) ?? wanted) : wanted;
}

function refuseLarge(bytes = 0): void {
  if (bytes <= mostBytes) return;
  const detail = `The file is larger than ${describeBytes(mostBytes)}, the most that can be downloaded.`;
  throw new Refusal("validation_failed", detail, { errors: [{ pointer: "/fileId", detail }] });
}

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);
