import { Refusal } from "../../base/refusal.ts";

type Inline = { type: "text"; text: string } | { type: "hardBreak" };

/** Where a site is, from its name ("acme") or its address. */
export function siteAddress(site: string): string {
  const text = site.trim();
  const address = /^[a-z0-9-]+$/i.test(text) ? `https://${text}.atlassian.net` : `https://${text.replace(/^https?:\/\//i, "")}`;
  if (!URL.canParse(address)) throw new Refusal("validation_failed", "The Jira site is neither a site's name nor its address.");
  return new URL(address).origin;
}

/** Where people look at an issue. */
export function issueUrl(site: string | undefined, key: string | undefined): string | undefined {
  return site && key ? `${siteAddress(site)}/browse/${encodeURIComponent(key)}` : undefined;
}

/** Plain text in the Atlassian document format: an empty line ends a paragraph, other line ends are kept. No text in it is empty, which Jira would refuse. */
export function toDocument(text: string) {
  const paragraphs = text
    .replaceAll(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.replaceAll(/^\n+|\n+$/g, ""))
    .filter((paragraph) => paragraph.trim() !== "");
  return { type: "doc", version: 1, content: paragraphs.map((paragraph) => ({ type: "paragraph", content: toInlines(paragraph) })) };
}

function toInlines(paragraph: string): Inline[] {
  return paragraph.split("\n").flatMap((line, index): Inline[] => {
    const text = { type: "text" as const, text: line };
    return index === 0 ? [text] : [{ type: "hardBreak" }, text];
  });
}
