import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { textAt, textsAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { gmailCredential } from "./credential.ts";

export const action = defineAction({
  id: "gmail_modify_labels",
  title: "Modify labels",
  description: "Add or remove labels of a message (archive, star, mark read).",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  credential: gmailCredential,
  input: z.strictObject({
    messageId: z.string().min(1).describe("Id of the message; gmail_search_emails finds it."),
    addLabelIds: z
      .array(z.string().meta({ choices: "labels" }))
      .optional()
      .describe("Ids of the labels to add, e.g. STARRED; gmail_search_emails finds them on messages.")
      .meta({ title: "Add labels" }),
    removeLabelIds: z
      .array(z.string().meta({ choices: "labels" }))
      .optional()
      .describe(
        "Ids of the labels to remove, e.g. INBOX to archive, UNREAD to mark as read; gmail_search_emails finds them on messages.",
      )
      .meta({ title: "Remove labels" }),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    labelIds: z.array(z.string()).describe("Labels now."),
  }),
  async run({ input: { messageId, ...labels }, http }) {
    const message = await http.json({
      method: "POST",
      path: path`/gmail/v1/users/me/messages/${messageId}/modify`,
      json: labels,
    });
    return [{ id: requireProof("Gmail", textAt(message, "id"), "message id"), labelIds: textsAt(message, "labelIds") }];
  },
});
