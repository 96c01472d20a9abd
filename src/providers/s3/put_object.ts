import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { fileInput, readFileInput } from "../../contract/file-input.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { objectPath, withoutQuotes } from "./client.ts";
import { s3Credential } from "./credential.ts";

export const action = defineAction({
  id: "s3_put_object",
  title: "Put object",
  synonyms: ["upload", "write file"],
  description: "Write an object, replacing any previous one.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  credential: s3Credential,
  input: z.strictObject({
    bucket: z.string().min(1).describe("Name of the bucket.").meta({ choices: "buckets" }),
    key: z.string().min(1).describe("Key of the object, e.g. reports/2026.csv."),
    content: z.string().optional().describe("Content as text. Give this or contentBase64."),
    contentBase64: fileInput("Content as base64")
      .optional()
      .describe("Content as base64, in a workflow also the handle of a file. Give this or content."),
    contentType: z.string().min(1).optional().describe("Media type, e.g. text/csv."),
  }),
  output: z.object({
    key: z.string().describe("Key of the object."),
    etag: z.string().optional().meta({ title: "ETag" }).describe("Entity tag, which changes with the content."),
    bytes: z.int().describe("Size in bytes."),
  }),
  async run({ input: { bucket, key, content, contentBase64, contentType }, http }) {
    const body = readContent(content, contentBase64);
    const type = contentType ?? (content === undefined ? "application/octet-stream" : "text/plain; charset=utf-8");
    const response = await http.send({
      method: "PUT",
      path: objectPath(bucket, key),
      body,
      headers: { "content-type": type },
    });
    await response.body?.cancel();
    return [{ key, etag: withoutQuotes(response.headers.get("etag")), bytes: body.length }];
  },
});

function readContent(content: string | undefined, contentBase64: string | undefined): Buffer {
  if ((content === undefined) === (contentBase64 === undefined))
    throw refuseInput("/content", "or contentBase64 must be given, and not both");
  if (content !== undefined) return Buffer.from(content, "utf8");
  return readFileInput("/contentBase64", contentBase64 ?? "");
}
