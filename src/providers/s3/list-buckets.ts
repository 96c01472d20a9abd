import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { listAt, textAt } from "../../contract/read.ts";

/** All buckets of the account, which a key may use without being allowed to list them. */
export async function listBuckets({ http }: ChoicesCall): Promise<Choice[]> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === "Bucket" });
  const answer: unknown = parser.parse(await http.text({ path: "/" }));
  return toChoices(listAt(answer, "ListAllMyBucketsResult", "Buckets", "Bucket"), (bucket) => ({
    value: textAt(bucket, "Name"),
  }));
}
