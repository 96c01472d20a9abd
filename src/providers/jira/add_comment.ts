import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { issueUrl, toDocument } from "./client.ts";
import { jiraCredential } from "./credential.ts";

export const action = defineAction({
  id: "jira_add_comment",
  title: "Add comment",
  description: "Add a comment to an issue.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: jiraCredential,
  input: z.strictObject({
    issueKey: z.string().min(1).describe("Key or id, e.g. ACME-12."),
    text: z.string().min(1).describe("Plain text, converted to ADF."),
  }),
  output: z.object({
    id: z.string().optional().describe("Comment id."),
    created: z.string().optional().describe("Time it was made, ISO 8601."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input: { issueKey, text }, credential, http }) {
    const comment = await http.json({
      method: "POST",
      path: path`/rest/api/3/issue/${issueKey}/comment`,
      json: { body: toDocument(text) },
    });
    const id = requireProof("Jira Cloud", textAt(comment, "id"), "comment id");
    const url = issueUrl(credential.site, issueKey);
    return [
      {
        id,
        created: textAt(comment, "created"),
        url: url ? `${url}?focusedCommentId=${encodeURIComponent(id)}` : undefined,
      },
    ];
  },
});
