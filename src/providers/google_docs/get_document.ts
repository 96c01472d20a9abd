import { z } from "zod";
import { path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleDocsCredential } from "./credential.ts";
import { readContent } from "./read-content.ts";

export const tool = defineTool({
  id: "google_docs_get_document",
  title: "Get document",
  description: "Read a document as plain text.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleDocsCredential,
  input: z.strictObject({
    documentId: z.string().min(1).describe("Id or web address of the document, e.g. https://docs.google.com/document/d/…/edit."),
  }),
  output: z.object({
    documentId: z.string().describe("Id of the document."),
    title: z.string().optional().describe("Title."),
    text: z.string().describe("Plain text."),
    revisionId: z.string().optional().describe("Id of the version that was read."),
  }),
  async run({ input, http }) {
    const documentId = readGoogleId("/documentId", input.documentId);
    const document = await http.json({ path: path`/v1/documents/${documentId}` });
    return [
      {
        documentId: textAt(document, "documentId") ?? documentId,
        title: textAt(document, "title"),
        text: readContent(document, "body"),
        revisionId: textAt(document, "revisionId"),
      },
    ];
  },
});
