import { z } from "zod";
import { encodeSegment } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { integerAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { withoutQuotes } from "./client.ts";
import { s3Credential } from "./credential.ts";

export const tool = defineTool({
  id: "s3_list_objects",
  title: "List objects",
  description: "List objects of a bucket by prefix.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: s3Credential,
  input: z.strictObject({
    bucket: z.string().min(1).describe("Name of the bucket."),
    prefix: z.string().optional().describe("Only keys that begin with it."),
    delimiter: z.string().optional().describe("Usually a slash: what lies deeper is listed as one folder, a key without size."),
    limit: z.int().min(1).max(1000).default(100).describe("Most items to return (1-1000)."),
  }),
  output: z.object({
    key: z.string().optional().describe("Key of the object."),
    size: z.int().optional().describe("Size in bytes."),
    etag: z.string().optional().meta({ title: "ETag" }).describe("Entity tag, which changes with the content."),
    lastModified: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { bucket, prefix, delimiter, limit }, http }) {
    const { XMLParser } = await import("fast-xml-parser");
    const parser = new XMLParser({
      ignoreAttributes: true,
      parseTagValue: false,
      trimValues: false,
      htmlEntities: true,
      isArray: (name) => name === "Contents" || name === "CommonPrefixes",
    });
    return await collectPages<Item, string>(limit, async (cursor, wanted) => {
      const query = { prefix, delimiter, "max-keys": wanted, "continuation-token": cursor, "encoding-type": "url" };
      const answer: unknown = parser.parse(await http.text({ path: `/${encodeSegment(bucket)}`, query: { "list-type": 2, ...query } }));
      return { items: readItems(answer), next: textAt(answer, ...list, "NextContinuationToken") };
    });
  },
});

type Item = { key: string | undefined; size?: number | undefined; etag?: string | undefined; lastModified?: string | undefined };

const list = ["ListBucketResult"];

function readItems(answer: unknown): Item[] {
  const isEncoded = textAt(answer, ...list, "EncodingType") === "url";
  // Not everything a key may hold can be said in XML, so it comes in the form of an address.
  const readKey = (text: string | undefined) => (text !== undefined && isEncoded ? decodeURIComponent(text.replaceAll("+", " ")) : text);
  const objects = listAt(answer, ...list, "Contents").map((entry) => ({
    key: readKey(textAt(entry, "Key")),
    size: integerAt(entry, "Size"),
    etag: withoutQuotes(textAt(entry, "ETag")),
    lastModified: textAt(entry, "LastModified"),
  }));
  return [...objects, ...listAt(answer, ...list, "CommonPrefixes").map((entry) => ({ key: readKey(textAt(entry, "Prefix")) }))];
}
