import { buffer } from "node:stream/consumers";
import type { FetchMessageObject, ImapFlow, MessageStructureObject } from "imapflow";
import type { Received } from "../_mail/attachments.ts";

/** The files of a message, by its structure; their bytes are fetched one by one and only as far as there is room. */
export async function readParts(
  client: ImapFlow,
  { uid, bodyStructure }: FetchMessageObject,
  hasRoom: (bytes: number) => boolean,
): Promise<Received[]> {
  const files: Received[] = [];
  for (const part of bodyStructure ? listFiles(bodyStructure) : []) {
    const size = decodedSize(part);
    const file = { filename: filenameOf(part), mimeType: part.type, size };
    // A mail that is nothing but a file has one part.
    const content = hasRoom(size)
      ? await download(client, { uid, part: part.part ?? "1", mostBytes: mostOf(part) })
      : undefined;
    files.push(
      content === undefined ? file : { ...file, size: content.length, contentBase64: content.toString("base64") },
    );
  }
  return files;
}

/** Of the lines between two parts, as much as there usually is at most. */
const partHeaderBytes = 1024;

/** Where the text of a message ends at the latest: files before it count, those after it do not. */
export function textEnd(source: Buffer | undefined, structure: MessageStructureObject | undefined): number {
  const leaves = structure ? listLeaves(structure) : [];
  const last = leaves.findLastIndex((part) => part.type.startsWith("text/") && !isFile(part));
  const header = Math.max(0, source?.indexOf("\r\n\r\n") ?? 0);
  return leaves
    .slice(0, last + 1)
    .reduce((end, { size = 0 }) => end + partHeaderBytes + size, structure ? header : Number.POSITIVE_INFINITY);
}

const listLeaves = (node: MessageStructureObject): MessageStructureObject[] =>
  node.childNodes?.flatMap(listLeaves) ?? [node];

type Wanted = { uid: number; part: string; mostBytes: number };

/** Undefined where the message has gone meanwhile, or where more comes than the server told of: there is room for that much only. */
async function download(client: ImapFlow, { uid, part, mostBytes }: Wanted): Promise<Buffer | undefined> {
  const { content } = await client.download(String(uid), part, { uid: true, maxBytes: mostBytes + 1 });
  const bytes = content ? await buffer(content) : undefined;
  return bytes && bytes.length <= mostBytes ? bytes : undefined;
}

/** What a part takes in the mail is never less than what is in it. */
const mostOf = ({ size = 0 }: MessageStructureObject): number => size;

/** A mail that is attached is one file, with all that is in it. */
const listFiles = (node: MessageStructureObject): MessageStructureObject[] =>
  isFile(node) ? [node] : (node.childNodes ?? []).flatMap(listFiles);

const filenameOf = ({ dispositionParameters, parameters }: MessageStructureObject): string | undefined =>
  dispositionParameters?.filename ?? parameters?.name;

const isFile = (node: MessageStructureObject): boolean =>
  !node.type.startsWith("multipart/") && (node.disposition === "attachment" || filenameOf(node) !== undefined);

/** Servers tell how long it is in the mail, where base64 takes four letters, and a line break now and then, for three bytes. */
const decodedSize = ({ size = 0, encoding }: MessageStructureObject): number =>
  encoding?.toLowerCase() === "base64" ? Math.floor((size * 57) / 78) : size;
