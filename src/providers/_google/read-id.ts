import { refuseInput } from "../../contract/refuse-input.ts";

/** The id of a file or folder, which people have as the address of its page: /document/d/{id}/edit, /drive/folders/{id}, /open?id={id}. */
export function readGoogleId(pointer: string, text: string): string {
  const given = text.trim();
  if (!/^https?:\/\//i.test(given)) return text;
  const url = URL.parse(given);
  const isGoogle = url !== null && /(?:^|\.)google\.com$/i.test(url.hostname);
  const id = isGoogle ? (/\/(?:d|folders)\/([\w-]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get("id")) : null;
  if (id) return id;
  throw refuseInput(pointer, "must be an id, or the address of a page of Google Docs, Sheets or Drive");
}
