import { Refusal } from "../../base/refusal.ts";
import { type Http, path } from "../../contract/http.ts";
import { headerOf } from "./read-headers.ts";

/** What a reply says about the conversation it belongs to. Its id is that of its first mail, which may be gone; then Gmail's own grouping has to do. */
export async function readThread(http: Http, threadId: string) {
  const first = await http
    .json({
      path: path`/gmail/v1/users/me/messages/${threadId}`,
      query: { format: "metadata", metadataHeaders: ["Message-ID", "References", "Subject"] },
    })
    .catch(leaveOutGone);
  const messageId = /<[^<>\s]+>/.exec(headerOf(first, "message-id") ?? "")?.[0];
  const earlier = headerOf(first, "references")?.match(/<[^<>\s]+>/g) ?? [];
  const subject = headerOf(first, "subject");
  return {
    subject: subject === undefined || /^re:/i.test(subject) ? subject : `Re: ${subject}`,
    headers: messageId === undefined ? {} : { inReplyTo: messageId, references: [...earlier, messageId] },
  };
}

function leaveOutGone(error: unknown): undefined {
  if (error instanceof Refusal && error.provider?.status === 404) return undefined;
  throw error;
}
