import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, listAt, textAt } from "../../contract/read.ts";
import { readTitle } from "./client.ts";
import { notionCredential } from "./credential.ts";

export const action = defineAction({
  id: "notion_search",
  title: "Search",
  description: "Search pages and data sources by title.",
  guide: "It finds titles and no text inside of pages. Read a page with notion_get_page.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: notionCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Part of the title; everything shared with the integration if absent."),
    type: z.enum(["page", "data_source"]).optional().describe("Only pages or only data sources; both when absent."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Id of the page or data source."),
    object: z.string().optional().describe("Either page or data_source."),
    title: z.string().optional().describe("Title."),
    url: z.string().optional().describe("Web address."),
    lastEditedTime: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { query, type, limit }, http }) {
    const filter = type && { property: "object", value: type };
    const found = await collectPages<unknown, string>(limit, async (start_cursor, page_size) => {
      const answer = await http.json({
        method: "POST",
        path: "/v1/search",
        json: { query, filter, page_size, start_cursor },
      });
      return {
        items: listAt(answer, "results"),
        next: at(answer, "has_more") === true ? textAt(answer, "next_cursor") : undefined,
      };
    });
    return found.map((entry) => ({
      id: textAt(entry, "id"),
      object: textAt(entry, "object"),
      title: readTitle(entry),
      url: textAt(entry, "url"),
      lastEditedTime: textAt(entry, "last_edited_time"),
    }));
  },
});
