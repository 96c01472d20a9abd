/** A fenced block of a page. The words after the language say what a test does with it: `sh run`, `json output`, `sh file=name`. */
export type Block = { language: string; words: string[]; text: string; line: number };

const fenced = /^( *)```([^\n]*)\n([\s\S]*?)^ *```[ \t]*$/gm;

export function readBlocks(page: string): Block[] {
  return [...page.matchAll(fenced)].map((found) => {
    const [, indent = "", info = "", text = ""] = found;
    const [language = "", ...words] = info.trim().split(/\s+/);
    const plain = indent === "" ? text : text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return { language, words, text: plain, line: page.slice(0, found.index).split("\n").length };
  });
}

export const withoutBlocks = (page: string): string => page.replaceAll(fenced, "");
