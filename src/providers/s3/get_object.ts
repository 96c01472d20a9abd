import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { objectPath, withoutQuotes } from "./client.ts";
import { s3Credential } from "./credential.ts";

const mostBytes = 10 * 1024 * 1024;

export const action = defineAction({
  id: "s3_get_object",
  title: "Get object",
  synonyms: ["download", "read file"],
  description: "Read an object.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: s3Credential,
  input: z.strictObject({
    bucket: z.string().min(1).describe("Name of the bucket.").meta({ choices: "buckets" }),
    key: z.string().min(1).describe("Key of the object, e.g. reports/2026.csv; s3_list_objects finds it."),
  }),
  output: z.object({
    key: z.string().describe("Key of the object."),
    contentType: z.string().optional().describe("Media type, e.g. text/csv."),
    bytes: z.int().describe("Size in bytes."),
    content: z.string().optional().describe("Text, when it is text."),
    contentBase64: z
      .string()
      .optional()
      .meta({ title: "Content as base64" })
      .describe("The bytes, when they are not text."),
    etag: z.string().optional().meta({ title: "ETag" }).describe("Entity tag, which changes with the content."),
  }),
  findBytes: ({ key, contentType }) => [{ field: "contentBase64", mimeType: contentType, name: key.split("/").at(-1) }],
  async run({ input: { bucket, key }, http }) {
    const response = await http.send({ path: objectPath(bucket, key) });
    const bytes = await readBytes(response);
    const content = isUtf8(bytes) ? { content: bytes.toString("utf8") } : { contentBase64: bytes.toString("base64") };
    const contentType = response.headers.get("content-type") ?? undefined;
    return [{ key, contentType, bytes: bytes.length, ...content, etag: withoutQuotes(response.headers.get("etag")) }];
  },
});

async function readBytes({ headers, body }: Response): Promise<Buffer> {
  if (Number(headers.get("content-length") ?? 0) > mostBytes) {
    await body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Counted as well, because an unpacked answer is larger than it said.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new Refusal("provider_error", "The object is larger than 10 MB.");
