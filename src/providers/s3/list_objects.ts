import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { s3Credential } from "./credential.ts";
import { type ListedObject, listPage } from "./list-page.ts";

export const action = defineAction({
  id: "s3_list_objects",
  title: "List objects",
  description: "List objects of a bucket by prefix.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: s3Credential,
  input: z.strictObject({
    bucket: z.string().min(1).describe("Name of the bucket.").meta({ choices: "buckets" }),
    prefix: z.string().optional().describe("Only keys that begin with it."),
    delimiter: z
      .string()
      .optional()
      .describe("Usually a slash: what lies deeper is listed as one folder, a key without size."),
    limit: z.int().min(1).max(1000).default(100).describe("Most items to return (1-1000)."),
  }),
  output: z.object({
    key: z.string().optional().describe("Key of the object."),
    size: z.int().optional().describe("Size in bytes."),
    etag: z.string().optional().meta({ title: "ETag" }).describe("Entity tag, which changes with the content."),
    lastModified: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { bucket, prefix, delimiter, limit }, http }) {
    return await collectPages<ListedObject, string>(limit, (cursor, wanted) =>
      listPage(http, { bucket, prefix, delimiter, wanted, cursor }),
    );
  },
});
