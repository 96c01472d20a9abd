import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { collectPages } from "../../contract/pages.ts";
import { booleanAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { microsoftOutlookCredential } from "./credential.ts";

const fields = "id,subject,from,toRecipients,receivedDateTime,isRead,bodyPreview,webLink";

export const tool = defineTool({
  id: "microsoft_outlook_search_emails",
  title: "Search emails",
  description: "Search messages of the mailbox.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: microsoftOutlookCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Keyword search ($search)."),
    filter: z.string().optional().describe("OData filter; not together with query."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    subject: z.string().optional().describe("Subject line."),
    from: z.string().optional().describe("Address of the sender."),
    to: z.array(z.string()).describe("Addresses of the recipients."),
    receivedDateTime: z.string().optional().describe("Time received, ISO 8601."),
    isRead: z.boolean().optional().describe("Whether it was read."),
    bodyPreview: z.string().optional().describe("First words of the mail."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input: { query = "", filter = "", limit }, http }) {
    const choice = chooseMessages(query, filter);
    const messages = await collectPages<unknown, string>(limit, async (next, wanted) => {
      const parameters = next === undefined ? { ...choice, $select: fields, $top: wanted } : readParameters(next);
      const answer = await http.json({ path: "/me/messages", query: parameters });
      return { items: listAt(answer, "value"), next: textAt(answer, "@odata.nextLink") };
    });
    return messages.map((message) => ({
      id: textAt(message, "id"),
      subject: textAt(message, "subject"),
      from: textAt(message, "from", "emailAddress", "address"),
      to: listAt(message, "toRecipients").flatMap((recipient) => textAt(recipient, "emailAddress", "address") ?? []),
      receivedDateTime: textAt(message, "receivedDateTime"),
      isRead: booleanAt(message, "isRead"),
      bodyPreview: textAt(message, "bodyPreview"),
      url: textAt(message, "webLink"),
    }));
  },
});

/** Graph sorts a search itself and a filtered list only by what is filtered. */
function chooseMessages(query: string, filter: string): Record<string, string> {
  if (query !== "" && filter !== "") {
    const detail = "Give either query or filter.";
    throw new Refusal("validation_failed", detail, { errors: ["/query", "/filter"].map((pointer) => ({ pointer, detail })) });
  }
  if (query !== "") return { $search: `"${query.replaceAll(/["\\]/g, "\\$&")}"` };
  return filter === "" ? { $orderby: "receivedDateTime desc" } : { $filter: filter };
}

// Only what the address asks for is taken over: the token must not follow it to another host.
const readParameters = (nextLink: string): Record<string, string> =>
  Object.fromEntries(URL.parse(nextLink, "https://graph.microsoft.com")?.searchParams ?? []);
