import { type Http, path } from "../../contract/http.ts";
import { booleanAt, integerAt, listAt, textAt } from "../../contract/read.ts";
import type { Received } from "../_mail/attachments.ts";

export const messageFields =
  "id,conversationId,subject,from,toRecipients,ccRecipients,receivedDateTime,isRead,hasAttachments,bodyPreview,webLink";
export const bodyAsText = { prefer: 'outlook.body-content-type="text"' };

export function toItem(message: unknown) {
  const cc = addressesAt(message, "ccRecipients");
  return {
    id: textAt(message, "id"),
    subject: textAt(message, "subject"),
    from: textAt(message, "from", "emailAddress", "address"),
    to: addressesAt(message, "toRecipients"),
    ...(cc.length > 0 ? { cc } : {}),
    conversationId: textAt(message, "conversationId"),
    receivedDateTime: textAt(message, "receivedDateTime"),
    isRead: booleanAt(message, "isRead"),
    bodyPreview: textAt(message, "bodyPreview"),
    url: textAt(message, "webLink"),
    body: textAt(message, "body", "content"),
    hasAttachments: booleanAt(message, "hasAttachments"),
  };
}

const addressesAt = (message: unknown, field: string): string[] =>
  listAt(message, field).flatMap((recipient) => textAt(recipient, "emailAddress", "address") ?? []);

/** Mails and links that are attached have no bytes of their own. */
export async function readFiles(
  http: Http,
  messageId: string,
  hasRoom: (bytes: number) => boolean,
): Promise<Received[]> {
  const place = path`/me/messages/${messageId}/attachments`;
  const listed = await http.json({ path: place, query: { $select: "id,name,contentType,size" } });
  const files: Received[] = [];
  for (const entry of listAt(listed, "value")) {
    const size = integerAt(entry, "size") ?? 0;
    const file = { filename: textAt(entry, "name"), mimeType: textAt(entry, "contentType"), size };
    const id = textAt(entry, "id");
    const isFile = textAt(entry, "@odata.type") === "#microsoft.graph.fileAttachment";
    const content =
      id !== undefined && isFile && hasRoom(size) ? await http.json({ path: place + path`/${id}` }) : undefined;
    files.push({ ...file, ...(content === undefined ? {} : { contentBase64: textAt(content, "contentBytes") }) });
  }
  return files;
}

// Only what the address asks for is taken over: the token must not follow it to another host.
export const readParameters = (nextLink: string): Record<string, string> =>
  Object.fromEntries(URL.parse(nextLink, "https://graph.microsoft.com")?.searchParams ?? []);
