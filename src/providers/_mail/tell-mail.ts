import { known, textAt } from "../../contract/read.ts";

/** What somebody wrote, for a run that a mail starts. */
export const promptOfMail = (mail: unknown): string | undefined =>
  known([textAt(mail, "subject"), textAt(mail, "body")]).join("\n\n") || undefined;

/** Who wrote it: `Ann <ann@example.com>`, or the address alone. */
export function senderOfMail(mail: unknown): { id: string | undefined; name: string | undefined } {
  const from = textAt(mail, "from")?.trim() ?? "";
  const start = from.endsWith(">") ? from.lastIndexOf("<") : -1;
  const address = start === -1 ? from : from.slice(start + 1, -1).trim();
  const name = start === -1 ? "" : from.slice(0, start).trim().replaceAll(/^"|"$/g, "");
  return { id: address.toLowerCase() || undefined, name: name || undefined };
}
