import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { readPage, readPageId } from "./client.ts";
import { notionCredential } from "./credential.ts";

const shortestId = 32;

export const action = defineAction({
  id: "notion_get_page",
  title: "Get page",
  description: "Read a page: properties and content as Markdown.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: notionCredential,
  input: z.strictObject({
    pageId: z
      .string()
      .min(1)
      .describe("Id or web address of the page; notion_search finds it. Or one of missingBlockIds of a long page.")
      .meta({ choices: "pages" }),
    includeContent: z.boolean().default(true).describe("Whether to read the content, too."),
  }),
  output: z.object({
    id: z.string().optional().describe("Page id."),
    title: z.string().optional().describe("Title."),
    url: z.string().optional().describe("Web address."),
    properties: z.record(z.string(), z.unknown()).optional().describe("Properties by name, in Notion form."),
    markdown: z.string().optional().describe("Content as Markdown."),
    isTruncated: z
      .boolean()
      .optional()
      .describe("True where Notion left out content: the page is too long, or parts are not shared."),
    missingBlockIds: z.array(z.string()).optional().describe("Ids of the blocks whose content is left out."),
    leftOut: z.string().optional().describe("Only where content was left out: how much, and how to read the rest."),
    lastEditedTime: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { includeContent, ...input }, http }) {
    const pageId = readPageId("/pageId", input.pageId);
    if (pageId.length < shortestId)
      throw refuseInput("/pageId", "must be the id of a page, which has 32 hexadecimal digits, or its address");
    return [await readPage(http, pageId, includeContent)];
  },
});
