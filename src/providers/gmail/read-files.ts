import { type Http, path } from "../../contract/http.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import type { Received } from "../_mail/attachments.ts";

/** The files of a message. Gmail sends small ones along and gives large ones on request. */
export async function readFiles(
  http: Http,
  message: unknown,
  hasRoom: (bytes: number) => boolean,
): Promise<Received[]> {
  const files: Received[] = [];
  for (const part of listFiles(at(message, "payload"))) {
    const size = integerAt(part, "body", "size") ?? 0;
    const file = { filename: textAt(part, "filename"), mimeType: textAt(part, "mimeType"), size };
    const data = hasRoom(size) ? await readData(http, textAt(message, "id") ?? "", part) : undefined;
    files.push(
      data === undefined ? file : { ...file, contentBase64: Buffer.from(data, "base64url").toString("base64") },
    );
  }
  return files;
}

async function readData(http: Http, messageId: string, part: unknown): Promise<string | undefined> {
  const attachmentId = textAt(part, "body", "attachmentId");
  if (attachmentId === undefined) return textAt(part, "body", "data");
  return textAt(
    await http.json({ path: path`/gmail/v1/users/me/messages/${messageId}/attachments/${attachmentId}` }),
    "data",
  );
}

function listFiles(part: unknown): unknown[] {
  const isFile = (textAt(part, "filename") ?? "") !== "";
  return [...(isFile ? [part] : []), ...listAt(part, "parts").flatMap(listFiles)];
}
