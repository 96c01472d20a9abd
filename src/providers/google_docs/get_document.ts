import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDocsCredential } from "./credential.ts";
import { readContent } from "./read-content.ts";

export const action = defineAction({
  id: "google_docs_get_document",
  title: "Get document",
  description: "Read a document as plain text.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleDocsCredential,
  input: z.strictObject({
    documentId: z
      .string()
      .min(1)
      .describe("Id or web address of the document, e.g. https://docs.google.com/document/d/…/edit.")
      .meta({ choices: "documents" }),
  }),
  output: z.object({
    documentId: z.string().describe("Id of the document."),
    title: z.string().optional().describe("Title."),
    text: z.string().describe("Plain text of all tabs; where there are several, each begins with its title."),
    tabs: z
      .array(
        z.object({
          id: z.string().optional().describe("Id of the tab, e.g. t.0."),
          title: z.string().optional().describe("Title of the tab."),
          text: z.string().describe("Plain text of the tab."),
        }),
      )
      .optional()
      .describe("The tabs one by one, those within others after them."),
    revisionId: z.string().optional().describe("Id of the version that was read."),
  }),
  async run({ input, http }) {
    const documentId = readGoogleId("/documentId", input.documentId);
    // Without this Google sends the first tab only.
    const document = await http.json({ path: path`/v1/documents/${documentId}`, query: { includeTabsContent: true } });
    const tabs = listAt(document, "tabs").flatMap(readTab);
    return [
      {
        documentId: textAt(document, "documentId") ?? documentId,
        title: textAt(document, "title"),
        text: tabs.length === 0 ? readContent(document, "body") : joinTabs(tabs),
        tabs: tabs.length > 1 ? tabs : undefined,
        revisionId: textAt(document, "revisionId"),
      },
    ];
  },
});

type Tab = { id: string | undefined; title: string | undefined; text: string };

function readTab(tab: unknown): Tab[] {
  const own = {
    id: textAt(tab, "tabProperties", "tabId"),
    title: textAt(tab, "tabProperties", "title"),
    text: readContent(tab, "documentTab", "body"),
  };
  return [own, ...listAt(tab, "childTabs").flatMap(readTab)];
}

const joinTabs = (tabs: Tab[]): string =>
  tabs.length === 1 ? (tabs[0]?.text ?? "") : tabs.map(({ title = "", text }) => `${title}\n\n${text}`).join("\n");
