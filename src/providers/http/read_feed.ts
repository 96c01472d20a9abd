import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { isOfAccount } from "./client.ts";
import { httpCredential } from "./credential.ts";
import { readFeed } from "./feed-entries.ts";

export const action = defineAction({
  id: "http_read_feed",
  title: "Read feed",
  description: "Read an RSS, Atom or JSON feed.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: httpCredential,
  worksWithoutAccount: true,
  isForDefault: isOfAccount,
  input: z.strictObject({
    url: z.url().describe("Address of the feed, e.g. https://example.com/feed.xml.").meta({ title: "URL" }),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Id of the entry."),
    title: z.string().optional().describe("Title."),
    url: z.string().optional().describe("Address of the entry."),
    published: z.string().optional().describe("Time of publication, ISO 8601 where it can be read."),
    author: z.string().optional().describe("Who wrote it."),
    summary: z.string().optional().describe("Summary or content."),
  }),
  async run({ input: { url: address, limit }, ...outside }) {
    return (await readFeed(address, outside)).slice(0, limit);
  },
});
