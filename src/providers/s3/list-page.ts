import { encodeSegment, type Http } from "../../contract/http.ts";
import type { Page } from "../../contract/pages.ts";
import { integerAt, listAt, textAt } from "../../contract/read.ts";
import { withoutQuotes } from "./client.ts";

export type ListedObject = {
  key: string | undefined;
  size?: number | undefined;
  etag?: string | undefined;
  lastModified?: string | undefined;
};

type Wanted = {
  bucket: string;
  prefix: string | undefined;
  delimiter?: string | undefined;
  wanted: number;
  cursor: string | undefined;
};

/** One page of a bucket's keys, in the order of their letters. */
export async function listPage(
  http: Http,
  { bucket, prefix, delimiter, wanted, cursor }: Wanted,
): Promise<Page<ListedObject, string>> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    isArray: (name) => name === "Contents" || name === "CommonPrefixes",
  });
  const query = { prefix, delimiter, "max-keys": wanted, "continuation-token": cursor, "encoding-type": "url" };
  const answer: unknown = parser.parse(
    await http.text({ path: `/${encodeSegment(bucket)}`, query: { "list-type": 2, ...query } }),
  );
  return { items: readItems(answer), next: textAt(answer, ...list, "NextContinuationToken") };
}

const list = ["ListBucketResult"];

function readItems(answer: unknown): ListedObject[] {
  const isEncoded = textAt(answer, ...list, "EncodingType") === "url";
  // Not everything a key may hold can be said in XML, so it comes in the form of an address.
  const readKey = (text: string | undefined) =>
    text !== undefined && isEncoded ? decodeURIComponent(text.replaceAll("+", " ")) : text;
  const objects = listAt(answer, ...list, "Contents").map((entry) => ({
    key: readKey(textAt(entry, "Key")),
    size: integerAt(entry, "Size"),
    etag: withoutQuotes(textAt(entry, "ETag")),
    lastModified: textAt(entry, "LastModified"),
  }));
  return [
    ...objects,
    ...listAt(answer, ...list, "CommonPrefixes").map((entry) => ({ key: readKey(textAt(entry, "Prefix")) })),
  ];
}
