import { z } from "zod";
import { collectPages } from "../../contract/pages.ts";
import { definePoll, type PollItem } from "../../contract/poll.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { type ListedObject, listPage } from "./list-page.ts";

// Keys are listed by their letters and not by date, and a large upload is dated when it began: only all of them show which are new.
const mostObjects = 10_000;
const pageSize = 1000;

export const newObject = definePoll({
  id: "new_object",
  title: "New object",
  description: `Starts for each object that is put below a prefix of a bucket. One that is overwritten with other content counts as new. At most ${mostObjects.toLocaleString("en")} objects may lie below the prefix: narrow it, or move away what is done.`,
  // Each look asks once for every thousand objects, which vendors charge for.
  everySeconds: { least: 30, usual: 300 },
  parameters: z.strictObject({
    bucket: z
      .string()
      .min(1)
      .describe("Name of the bucket, or the address of a folder in it, e.g. s3://my-bucket/incoming/.")
      .meta({ choices: "buckets" }),
    prefix: z.string().min(1).max(1024).optional().describe("Only keys that begin with it, e.g. incoming/."),
  }),
  async list({ http }, { parameters }) {
    const { bucket, prefix } = readPlace(parameters);
    const objects = await collectPages<ListedObject, string>(mostObjects + 1, (cursor, wanted) =>
      listPage(http, { bucket, prefix, wanted: Math.min(pageSize, wanted), cursor }),
    );
    if (objects.length > mostObjects)
      throw refuseInput(
        "/prefix",
        `must be narrower: more than ${mostObjects.toLocaleString("en")} objects lie below it, of which a look can list no more`,
      );
    const items = objects.toSorted(byTime).flatMap((object) => toItem(bucket, object));
    return { items, mark: "listed", hasMore: false };
  },
  isNamed: (name, { payload }) => name === textAt(payload, "key"),
});

const byTime = (one: ListedObject, other: ListedObject): number =>
  (Date.parse(one.lastModified ?? "") || 0) - (Date.parse(other.lastModified ?? "") || 0);

/** What consoles show as a folder is an empty object, and nothing that somebody put there. */
function toItem(bucket: string, { key, size, etag, lastModified }: ListedObject): PollItem[] {
  if (key === undefined || (key.endsWith("/") && !size)) return [];
  return [{ id: `${etag ?? lastModified ?? ""} ${key}`, payload: { bucket, key, size, etag, lastModified } }];
}

function readPlace({ bucket, prefix }: { bucket: string; prefix?: string | undefined }) {
  const address = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(bucket.trim());
  return { bucket: address?.[1] ?? bucket.trim(), prefix: prefix ?? (address?.[2] || undefined) };
}
