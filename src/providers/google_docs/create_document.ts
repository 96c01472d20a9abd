import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { type Http, path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { googleDocsCredential } from "./credential.ts";

export const action = defineAction({
  id: "google_docs_create_document",
  title: "Create document",
  description: "Create a document with a title and optional text.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: googleDocsCredential,
  input: z.strictObject({
    title: z.string().min(1).describe("Title of the new document."),
    text: z.string().optional().describe("Initial text."),
  }),
  output: z.object({
    documentId: z.string().describe("Id of the new document."),
    title: z.string().optional().describe("Title."),
    url: z.string().describe("Edit address."),
  }),
  async run({ input: { title, text = "" }, http }) {
    const created = await http.json({ method: "POST", path: "/v1/documents", json: { title } });
    const documentId = requireProof("Google Docs", textAt(created, "documentId"), "document id");
    if (text !== "") await insertText(http, documentId, text);
    return [
      {
        documentId,
        title: textAt(created, "title"),
        url: `https://docs.google.com/document/d/${encodeURIComponent(documentId)}/edit`,
      },
    ];
  },
});

async function insertText(http: Http, documentId: string, text: string): Promise<void> {
  const json = { requests: [{ insertText: { location: { index: 1 }, text } }] };
  try {
    await http.json({ method: "POST", path: path`/v1/documents/${documentId}:batchUpdate`, json });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, provider } = error;
    throw new Refusal(code, `The document ${documentId} was created, but without its text. ${message}`, {
      ...(provider ? { provider } : {}),
      // The same again would make a second document.
      effect: "unknown",
      cause: error,
    });
  }
}
