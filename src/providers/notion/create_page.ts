import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { at, recordAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { readPageId, withDataSource } from "./client.ts";
import { notionCredential } from "./credential.ts";

export const action = defineAction({
  id: "notion_create_page",
  title: "Create page",
  description: "Create a page under a page or in a data source.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: notionCredential,
  input: z.strictObject({
    parentPageId: z
      .string()
      .min(1)
      .optional()
      .describe("Page to create it under: its id or web address. Give this or dataSourceId; notion_search finds both.")
      .meta({ choices: "pages" }),
    dataSourceId: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Data source (table) to create it in: its id, or the web address of its database. Give this or parentPageId; notion_search finds both.",
      )
      .meta({ choices: "dataSources" }),
    title: z.string().min(1).describe("Title of the page."),
    markdown: z.string().optional().describe("Content as Markdown."),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Further property values in Notion form, e.g. {"Price": {"number": 5}}.'),
  }),
  output: z.object({
    id: z.string().optional().describe("Page id."),
    url: z.string().optional().describe("Web address."),
    createdTime: z.string().optional().describe("Time it was made, ISO 8601."),
  }),
  async run({ input: { parentPageId, dataSourceId, title, markdown, properties = {} }, http }) {
    if ((parentPageId === undefined) === (dataSourceId === undefined)) {
      throw new Refusal("validation_failed", "Give either parentPageId or dataSourceId.", {
        errors: [{ pointer: "/parentPageId", detail: "exactly one of parentPageId and dataSourceId is needed" }],
      });
    }
    const plain = Object.keys(properties).find((name) => recordAt(properties, name) === undefined);
    if (plain !== undefined) throw refuseInput(`/properties/${plain}`, 'must be in Notion form such as {"number": 5}');
    const page = { properties: { ...titleProperty(title, properties), ...properties }, markdown };
    const create = (parent: object) => http.json({ method: "POST", path: "/v1/pages", json: { parent, ...page } });
    const created =
      dataSourceId === undefined
        ? await create({ type: "page_id", page_id: readPageId("/parentPageId", parentPageId ?? "") })
        : await withDataSource(http, { pointer: "/dataSourceId", text: dataSourceId }, (id) =>
            create({ type: "data_source_id", data_source_id: id }),
          );
    return [
      {
        id: requireProof("Notion", textAt(created, "id"), "page id"),
        url: textAt(created, "url"),
        createdTime: textAt(created, "created_time"),
      },
    ];
  },
});

/** "title" is the id of the title whatever it is called; a page has only one, so one in the properties takes its place. */
function titleProperty(title: string, properties: Record<string, unknown>): Record<string, unknown> {
  const isGiven = Object.values(properties).some((value) => at(value, "title") !== undefined);
  return isGiven ? {} : { title: { title: splitText(title).map((content) => ({ text: { content } })) } };
}

/** Notion takes texts of 2,000 characters, and as many of them as there are. A character is never cut in two. */
function splitText(text: string): string[] {
  const pieces = [""];
  for (const letter of text) {
    if ((pieces.at(-1) ?? "").length + letter.length > longestText) pieces.push("");
    pieces[pieces.length - 1] += letter;
  }
  return pieces;
}

const longestText = 2000;
