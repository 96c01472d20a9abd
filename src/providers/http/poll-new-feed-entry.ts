import { createHash } from "node:crypto";
import { z } from "zod";
import { definePoll } from "../../contract/poll.ts";
import { textAt } from "../../contract/read.ts";
import { type FeedItem, readFeed } from "./feed-entries.ts";

/** A feed shows the newest entries and has no place to go on from: what was seen decides alone. */
export const newFeedEntry = definePoll({
  id: "new_feed_entry",
  title: "New feed entry",
  description: "Something new in an RSS, Atom or JSON feed.",
  parameters: z.strictObject({
    url: z.url().describe("Address of the feed, e.g. https://example.com/feed.xml.").meta({ title: "URL" }),
  }),
  everySeconds: { least: 60, usual: 900 },
  worksWithoutAccount: true,
  async list({ credential, secrets = () => [], ...call }, { parameters: { url } }) {
    const entries = await readFeed(url, { ...call, credential, secrets });
    return {
      items: entries.map((entry) => ({ id: idOf(entry), payload: entry })).reverse(),
      mark: "newest",
      hasMore: false,
    };
  },
  promptOf: (entry) => textAt(entry, "title"),
  senderOf: (entry) => ({ id: undefined, name: textAt(entry, "author") }),
});

/** Where a feed gives an entry neither an id nor an address, what it says has to do. */
const idOf = (entry: FeedItem): string => entry.id ?? createHash("sha256").update(JSON.stringify(entry)).digest("hex");
