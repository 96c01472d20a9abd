import { listAt, textAt } from "../../contract/read.ts";

/** The text below `content`: paragraphs, tables (a line per row, cells apart by tabs) and tables of contents. */
export function readContent(holder: unknown, ...place: string[]): string {
  return listAt(holder, ...place, "content")
    .map((element) => readParagraph(element) + readTable(element) + readContent(element, "tableOfContents"))
    .join("");
}

function readParagraph(element: unknown): string {
  return listAt(element, "paragraph", "elements").map(readRun).join("");
}

// Docs writes a line break inside a paragraph as a vertical tab.
const readRun = (run: unknown): string =>
  textAt(run, "textRun", "content")?.replaceAll("\v", "\n") ??
  textAt(run, "person", "personProperties", "name") ??
  textAt(run, "person", "personProperties", "email") ??
  textAt(run, "richLink", "richLinkProperties", "title") ??
  textAt(run, "dateElement", "dateElementProperties", "displayText") ??
  "";

function readTable(element: unknown): string {
  return listAt(element, "table", "tableRows")
    .map((row) => {
      const cells = listAt(row, "tableCells").map((cell) => readContent(cell).trimEnd());
      return `${cells.join("\t")}\n`;
    })
    .join("");
}
