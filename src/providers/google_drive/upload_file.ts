import { randomUUID } from "node:crypto";
import { z } from "zod";
import { describeBytes } from "../../base/describe-bytes.ts";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { fileInput, readFileInput } from "../../contract/file-input.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDriveCredential } from "./credential.ts";

const mostBytes = 5 * 1024 * 1024;

export const action = defineAction({
  id: "google_drive_upload_file",
  title: "Upload file",
  synonyms: ["write file"],
  description: "Upload a file from text or base64 content.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: googleDriveCredential,
  input: z.strictObject({
    name: z.string().min(1).describe("Name of the new file, e.g. report.txt."),
    content: z.string().optional().describe("Content as text. Give this or contentBase64."),
    contentBase64: fileInput("Content (base64)")
      .optional()
      .describe("Content as base64, in a workflow also the handle of a file; at most 5 MB. Give this or content."),
    mimeType: z
      .string()
      .min(1)
      .default("text/plain")
      .meta({ title: "MIME type" })
      .describe("Media type of the content, e.g. text/csv."),
    folderId: z
      .string()
      .optional()
      .describe(
        "Folder to put it in: its id or web address, e.g. https://drive.google.com/drive/folders/…; the top folder when absent.",
      )
      .meta({ choices: "folders" }),
  }),
  output: z.object({
    id: z.string().optional().describe("File id."),
    name: z.string().optional().describe("File name."),
    mimeType: z.string().optional().meta({ title: "MIME type" }).describe("Media type."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input: { name, content, contentBase64, mimeType, folderId }, http }) {
    const bytes = readContent(content, contentBase64);
    if (!/^[\x20-\x7e]+$/.test(mimeType)) throw refuseInput("/mimeType", "must be a MIME type such as text/plain");
    const boundary = randomUUID();
    const file = await http.json({
      method: "POST",
      path: "/upload/drive/v3/files",
      query: { uploadType: "multipart", supportsAllDrives: true, fields: "id,name,mimeType,webViewLink" },
      headers: { "content-type": `multipart/related; boundary=${boundary}` },
      body: joinParts(
        boundary,
        { name, mimeType, ...(folderId ? { parents: [readGoogleId("/folderId", folderId)] } : {}) },
        { mimeType, bytes },
      ),
    });
    return [
      {
        id: requireProof("Google Drive", textAt(file, "id"), "file id"),
        name: textAt(file, "name"),
        mimeType: textAt(file, "mimeType"),
        url: textAt(file, "webViewLink"),
      },
    ];
  },
});

function readContent(content: string | undefined, contentBase64: string | undefined): Buffer {
  if ((content === undefined) === (contentBase64 === undefined)) {
    const detail = "Give either content or contentBase64.";
    throw new Refusal("validation_failed", detail, {
      errors: ["/content", "/contentBase64"].map((pointer) => ({ pointer, detail })),
    });
  }
  const field = contentBase64 === undefined ? "content" : "contentBase64";
  const bytes =
    contentBase64 === undefined ? Buffer.from(content ?? "") : readFileInput("/contentBase64", contentBase64);
  if (bytes.length > mostBytes) throw refuseInput(`/${field}`, `must not be larger than ${describeBytes(mostBytes)}`);
  return bytes;
}

/** Two parts as multipart/related: what the file is, then its bytes. */
function joinParts(
  boundary: string,
  metadata: Record<string, unknown>,
  media: { mimeType: string; bytes: Buffer },
): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n`,
    ),
    Buffer.from(`--${boundary}\r\nContent-Type: ${media.mimeType}\r\n\r\n`),
    media.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}
