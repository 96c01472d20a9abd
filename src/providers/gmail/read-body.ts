import { isUtf8 } from "node:buffer";
import { listAt, textAt } from "../../contract/read.ts";
import { htmlToText } from "../_mail/html-to-text.ts";

/** The text of a message: its plain parts, or else its HTML parts as text. Attachments are no text. */
export function readBody(payload: unknown): string | undefined {
  const parts = listParts(payload).filter(
    (part) => (textAt(part, "filename") ?? "") === "" && textAt(part, "body", "data") !== undefined,
  );
  const ofType = (type: string) => parts.filter((part) => textAt(part, "mimeType") === type).map(decodePart);
  const plain = ofType("text/plain");
  if (plain.length > 0) return plain.join("\n");
  const html = ofType("text/html");
  return html.length > 0 ? html.map(htmlToText).join("\n") : undefined;
}

function listParts(part: unknown): unknown[] {
  return [part, ...listAt(part, "parts").flatMap(listParts)];
}

function decodePart(part: unknown): string {
  const bytes = Buffer.from(textAt(part, "body", "data") ?? "", "base64url");
  return isUtf8(bytes) ? bytes.toString("utf8") : decodeCharset(bytes, charsetOf(part));
}

function charsetOf(part: unknown): string {
  const header = listAt(part, "headers").find((entry) => textAt(entry, "name")?.toLowerCase() === "content-type");
  return /charset="?([\w.:-]+)/i.exec(textAt(header, "value") ?? "")?.[1] ?? "windows-1252";
}

function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
