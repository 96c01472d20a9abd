import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readBlocks, withoutBlocks } from "../support/documents/document-blocks.ts";
import { runDocument } from "../support/documents/run-document.ts";

const pages = globSync(["*.md", "{docs,bench,deploy}/**/*.md"]).sort();
const read = (file: string) => readFileSync(file, "utf8");

/** The names that a page gives its headings, as GitHub makes them. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of withoutBlocks(read(file)).matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

type Link = { page: string; target: string; anchor: string | undefined };

/** Links inside the repository, those of pictures too; not what only looks like one in code. */
function linksOf(page: string): Link[] {
  const text = withoutBlocks(read(page)).replaceAll(/`[^`\n]*`/g, "");
  const addresses = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, one = ""]) => one,
  );
  return addresses
    .filter((address) => !/^[a-z]+:/i.test(address))
    .map((address) => {
      const [file = "", anchor] = address.split("#");
      return { page, target: file === "" ? page : path.join(path.dirname(page), decodeURI(file)), anchor };
    });
}

describe("the documents", () => {
  it.each(pages)("%s leads only to what is there", (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(target) || (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it("are all found from the first page", () => {
    const reached = new Set<string>();
    const open = ["docs/README.md"];
    for (let page = open.pop(); page !== undefined; page = open.pop()) {
      if (reached.has(page)) continue;
      reached.add(page);
      open.push(...linksOf(page).flatMap(({ target }) => (target.endsWith(".md") ? [target] : pagesIn(target))));
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it("are where the code says they are", () => {
    const files = globSync([
      "{src,web,test,scripts,bench}/**/*.{ts,tsx,mjs}",
      ".env.example",
      ".ci/run",
      "deploy/*",
    ]).filter((file) => !file.includes("node_modules"));
    const named = files.flatMap((file) =>
      (read(file).match(/\bdocs\/[\w/-]+\.md\b/g) ?? []).map((page) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ page }) => !existsSync(page))).toEqual([]);
  });

  it("are plain where people begin: no dated log in the pages of users and operators", () => {
    // When something was measured or last seen is told in bench/, and for contributors beside the suite that was run.
    const told = pages
      .filter((page) => page.startsWith("docs/") && !/^docs\/(decisions|services)\//.test(page))
      .flatMap((page) =>
        (
          withoutBlocks(read(page)).match(
            /^.*\b(?:[Mm]easured|[Ll]ast seen|on \d+ cores).*\b20\d\d-\d\d-\d\d\b.*$/gm,
          ) ?? []
        ).map((line) => `${page}: ${line}`),
      );
    expect(told).toEqual([]);
  });
});

const pagesIn = (folder: string): string[] => (existsSync(folder) ? globSync(`${folder}/*.md`) : []);

describe("the blocks of a page", () => {
  const page = "a\n```sh run\none\ntwo\n```\n\n```json output\n{ … }\n```\n- b\n  ```text\n  in a list\n  ```\n";

  it("are read with their words and lines", () => {
    expect(readBlocks(page)).toEqual([
      { language: "sh", words: ["run"], text: "one\ntwo\n", line: 2 },
      { language: "json", words: ["output"], text: "{ … }\n", line: 7 },
      { language: "text", words: [], text: "in a list\n", line: 11 },
    ]);
  });

  it("are no part of its text", () => {
    expect(withoutBlocks(page)).not.toMatch(/one|in a list/);
    expect(withoutBlocks(page)).toContain("- b");
  });
});

describe("running a page", () => {
  const run = async (page: string) => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-page-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, "page.md"), page);
    await runDocument(path.join(folder, "page.md"), {
      folder,
      environment: {},
      replace: { "example.com": "localhost" },
    });
  };
  const block = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`;

  it("keeps what was set in the block before, writes files first, and puts names of this machine in", async () => {
    await run(
      block("sh run", "NAME=$(cat name.txt)") +
        block("sh run", 'echo "$NAME"; date') +
        block("text output", "at localhost\n…") +
        block("text file=name.txt", "at example.com"),
    );
  });

  it.each([
    ["a command that fails", block("sh run", "echo one; false; echo two")],
    ["a command that fails before a pipe", block("sh run", "false | cat")],
    ["a variable that nobody set", block("sh run", 'echo "$MISSING_ANYWHERE"')],
    ["another output", block("sh run", "echo one") + block("text output", "two")],
    ["more output", block("sh run", "echo one; echo two") + block("text output", "one")],
    ["no commands", block("sh", "echo one")],
  ])("fails on %s", async (_what, page) => {
    await expect(run(page)).rejects.toThrow();
  });
});
