import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { booleanAt, listAt, textAt } from "../../contract/read.ts";
import { createRoom, findAttachedBytes, includeAttachmentsInput, receivedOutput } from "../_mail/attachments.ts";
import { microsoftOutlookCredential } from "./credential.ts";
import { bodyAsText, messageFields, readFiles, readParameters, toItem } from "./read-message.ts";

export const action = defineAction({
  id: "microsoft_outlook_search_emails",
  title: "Search emails",
  description: "Search messages of the mailbox.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: microsoftOutlookCredential,
  input: z.strictObject({
    query: z
      .string()
      .optional()
      .describe("Words to search for ($search), e.g. invoice or from:ann. Give this or filter, not both."),
    filter: z.string().optional().describe("OData filter, e.g. isRead eq false. Give this or query, not both."),
    includeBody: z.boolean().default(false).describe("Return the text of the messages."),
    includeAttachments: includeAttachmentsInput(),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    subject: z.string().optional().describe("Subject line."),
    from: z.string().optional().describe("Address of the sender."),
    to: z.array(z.string()).describe("Addresses of the recipients."),
    cc: z.array(z.string()).optional().describe("Addresses that got a copy."),
    conversationId: z.string().optional().describe("Id of the conversation."),
    receivedDateTime: z.string().optional().describe("Time received, ISO 8601."),
    isRead: z.boolean().optional().describe("Whether it was read."),
    bodyPreview: z.string().optional().describe("First words of the mail."),
    url: z.string().optional().describe("Web address."),
    body: z.string().optional().describe("Text of the mail when asked for."),
    hasAttachments: z
      .boolean()
      .optional()
      .describe("Whether files are attached; pictures within the text do not count."),
    attachments: receivedOutput().describe("Attached files when asked for."),
  }),
  findBytes: findAttachedBytes,
  async run({ input: { query = "", filter = "", limit, includeBody, includeAttachments }, http }) {
    const $select = includeBody ? `${messageFields},body` : messageFields;
    const headers = includeBody ? bodyAsText : {};
    const choice = chooseMessages(query, filter);
    const messages = await collectPages<unknown, string>(limit, async (next, wanted) => {
      const parameters = next === undefined ? { ...choice, $select, $top: wanted } : readParameters(next);
      const answer = await http.json({ path: "/me/messages", query: parameters, headers });
      return { items: listAt(answer, "value"), next: textAt(answer, "@odata.nextLink") };
    });
    const hasRoom = createRoom();
    const items = [];
    for (const message of messages) {
      const hasFiles = includeAttachments && booleanAt(message, "hasAttachments") === true;
      items.push({
        ...toItem(message),
        ...(hasFiles ? { attachments: await readFiles(http, textAt(message, "id") ?? "", hasRoom) } : {}),
      });
    }
    return items;
  },
});

/** Graph sorts a search itself and a filtered list only by what is filtered. */
function chooseMessages(query: string, filter: string): Record<string, string> {
  if (query !== "" && filter !== "") {
    const detail = "Give either query or filter.";
    throw new Refusal("validation_failed", detail, {
      errors: ["/query", "/filter"].map((pointer) => ({ pointer, detail })),
    });
  }
  if (query !== "") return { $search: `"${query.replaceAll(/["\\]/g, "\\$&")}"` };
  return filter === "" ? { $orderby: "receivedDateTime desc" } : { $filter: filter };
}
