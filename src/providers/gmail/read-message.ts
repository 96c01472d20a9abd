import { type Http, path } from "../../contract/http.ts";
import { at, textAt, textsAt } from "../../contract/read.ts";
import { readBody } from "./read-body.ts";
import { readFiles } from "./read-files.ts";
import { headerOf } from "./read-headers.ts";

const shownHeaders = ["From", "To", "Cc", "Subject", "Date"];

type ReadRequest = { includeBody: boolean; isFull: boolean; hasRoom: (bytes: number) => boolean };

/** Nothing when the message has gone since it was found. */
export async function readMessage(http: Http, id: string, { includeBody, isFull, hasRoom }: ReadRequest) {
  const query = isFull ? { format: "full" } : { format: "metadata", metadataHeaders: shownHeaders };
  const message = await http.json({ path: path`/gmail/v1/users/me/messages/${id}`, query, alsoAccept: [404] });
  if (at(message, "error") !== undefined) return [];
  return [
    {
      id,
      threadId: textAt(message, "threadId"),
      from: headerOf(message, "from"),
      to: headerOf(message, "to"),
      cc: headerOf(message, "cc"),
      subject: headerOf(message, "subject"),
      date: headerOf(message, "date"),
      snippet: textAt(message, "snippet"),
      labelIds: textsAt(message, "labelIds"),
      body: includeBody ? readBody(at(message, "payload")) : undefined,
      attachments: isFull ? await readFiles(http, { ...(message as object), id }, hasRoom) : undefined,
    },
  ];
}
