import { type Http, path } from "../../contract/http.ts";
import { listAt, textsAt } from "../../contract/read.ts";
import { headerOf } from "./read-headers.ts";

/** What a reply to the last mail of a conversation says about it. Drafts were never sent, so nobody can answer them. */
export async function readThread(http: Http, threadId: string) {
  const thread = await http.json({
    path: path`/gmail/v1/users/me/threads/${threadId}`,
    query: { format: "metadata", metadataHeaders: ["Message-ID", "References", "Subject"] },
  });
  const sent = listAt(thread, "messages").filter((message) => !textsAt(message, "labelIds").includes("DRAFT"));
  const last = sent.at(-1);
  const messageId = /<[^<>\s]+>/.exec(headerOf(last, "message-id") ?? "")?.[0];
  const earlier = headerOf(last, "references")?.match(/<[^<>\s]+>/g) ?? [];
  const subject = headerOf(last, "subject");
  return {
    subject: subject === undefined || /^re:/i.test(subject) ? subject : `Re: ${subject}`,
    headers: messageId === undefined ? {} : { inReplyTo: messageId, references: [...earlier, messageId] },
  };
}
