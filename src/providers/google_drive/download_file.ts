import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { describeBytes } from "../../base/describe-bytes.ts";
import { Refusal } from "../../base/refusal.ts";
import { path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDriveCredential } from "./credential.ts";

const mostBytes = 10 * 1024 * 1024;

export const tool = defineTool({
  id: "google_drive_download_file",
  title: "Download file",
  description: "Download a file; Google documents are exported as text.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleDriveCredential,
  input: z.strictObject({
    fileId: z.string().min(1).describe("Id or web address of the file; google_drive_search_files finds it."),
    exportMimeType: z
      .string()
      .min(1)
      .default("text/plain")
      .describe("Export type for Google documents.")
      .meta({ title: "Export MIME type" }),
  }),
  output: z.object({
    id: z.string().describe("File id."),
    name: z.string().optional().describe("File name."),
    mimeType: z.string().optional().describe("Of the content; for Google documents the export type.").meta({ title: "MIME type" }),
    content: z.string().optional().describe("Text, when it is text."),
    contentBase64: z.string().optional().describe("Otherwise base64.").meta({ title: "Content (base64)" }),
    bytes: z.int().describe("Size of the content in bytes."),
  }),
  findBytes: ({ mimeType }) => [{ field: "contentBase64", mimeType }],
  async run({ input: { exportMimeType, ...input }, http }) {
    const fileId = readGoogleId("/fileId", input.fileId);
    const place = path`/drive/v3/files/${fileId}`;
    const file = await http.json({ path: place, query: { fields: "id,name,mimeType,size", supportsAllDrives: true } });
    refuseLarge(integerAt(file, "size"));
    const isGoogleDocument = textAt(file, "mimeType")?.startsWith("application/vnd.google-apps.") ?? false;
    const bytes = isGoogleDocument
      ? await http.bytes({ path: `${place}/export`, query: { mimeType: exportMimeType } })
      : await http.bytes({ path: place, query: { alt: "media", supportsAllDrives: true } });
    refuseLarge(bytes.length);
    return [
      {
        id: textAt(file, "id") ?? fileId,
        name: textAt(file, "name"),
        mimeType: isGoogleDocument ? exportMimeType : textAt(file, "mimeType"),
        ...(isText(bytes) ? { content: new TextDecoder().decode(bytes) } : { contentBase64: bytes.toString("base64") }),
        bytes: bytes.length,
      },
    ];
  },
});

function refuseLarge(bytes = 0): void {
  if (bytes <= mostBytes) return;
  const detail = `The file is larger than ${describeBytes(mostBytes)}, the most that can be downloaded.`;
  throw new Refusal("validation_failed", detail, { errors: [{ pointer: "/fileId", detail }] });
}

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);
