import { Refusal } from "../../base/refusal.ts";
import type { Http } from "../../contract/http.ts";
import type { Page } from "../../contract/pages.ts";
import { at, listAt, recordAt, textAt } from "../../contract/read.ts";

type Inline = { type: "text"; text: string } | { type: "hardBreak" };

/** Where a site is, from its name ("acme") or its address. */
export function siteAddress(site: string): string {
  const text = site.trim();
  const address = /^[a-z0-9-]+$/i.test(text)
    ? `https://${text}.atlassian.net`
    : `https://${text.replace(/^https?:\/\//i, "")}`;
  if (!URL.canParse(address))
    throw new Refusal("validation_failed", "The Jira site is neither a site's name nor its address.");
  return new URL(address).origin;
}

/** Where people look at an issue. */
export function issueUrl(site: string | undefined, key: string | undefined): string | undefined {
  return site && key ? `${siteAddress(site)}/browse/${encodeURIComponent(key)}` : undefined;
}

type IssueSearch = { jql: string; fields: string[]; maxResults: number; nextPageToken: string | undefined };

/** One page of what JQL finds. */
export async function searchIssues(http: Http, json: IssueSearch): Promise<Page<unknown, string>> {
  const answer = await http.json({ method: "POST", path: "/rest/api/3/search/jql", json, repeatable: true });
  return {
    items: listAt(answer, "issues"),
    next: at(answer, "isLast") === true ? undefined : textAt(answer, "nextPageToken"),
  };
}

export const readIssue = (issue: unknown, site: string | undefined) => ({
  key: textAt(issue, "key"),
  id: textAt(issue, "id"),
  summary: textAt(issue, "fields", "summary"),
  status: textAt(issue, "fields", "status", "name"),
  assignee: textAt(issue, "fields", "assignee", "displayName"),
  priority: textAt(issue, "fields", "priority", "name"),
  updated: textAt(issue, "fields", "updated"),
  url: issueUrl(site, textAt(issue, "key")),
  fields: recordAt(issue, "fields"),
});

/** The words of a document of Atlassian, without its looks. */
export function toPlainText(node: unknown): string {
  if (at(node, "type") === "text") return textAt(node, "text") ?? "";
  if (at(node, "type") === "hardBreak") return "\n";
  const words = listAt(node, "content").map(toPlainText).join("");
  return endsLine.has(textAt(node, "type") ?? "") ? `${words}\n` : words;
}

const endsLine = new Set(["paragraph", "heading", "codeBlock"]);

/** Plain text in the Atlassian document format: an empty line ends a paragraph, other line ends are kept. No text in it is empty, which Jira would refuse. */
export function toDocument(text: string) {
  const paragraphs = text
    .replaceAll(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.replaceAll(/^\n+|\n+$/g, ""))
    .filter((paragraph) => paragraph.trim() !== "");
  return {
    type: "doc",
    version: 1,
    content: paragraphs.map((paragraph) => ({ type: "paragraph", content: toInlines(paragraph) })),
  };
}

function toInlines(paragraph: string): Inline[] {
  return paragraph.split("\n").flatMap((line, index): Inline[] => {
    const text = { type: "text" as const, text: line };
    return index === 0 ? [text] : [{ type: "hardBreak" }, text];
  });
}
