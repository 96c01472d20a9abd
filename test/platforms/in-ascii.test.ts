import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { describe, expect, it } from "vitest";

const script = pathToFileURL("scripts/in-ascii.mjs").href;
const { inAscii } = (await import(script)) as { inAscii: (code: string) => string };

describe("JavaScript written in ASCII", () => {
  const sources = {
    "a string": '"Größe … 日本 😀"',
    "a template": "`a … é 😀`",
    "a backslash that stands for the character": String.raw`"\é"`,
    "a backslash of its own": String.raw`"\\é" + '\\\\é' + "\\\é"`,
    "a name": "(() => { const größe = { é: 1 }; return größe.é; })()",
    "a class of characters": '["é", "ê", "😀", "a"].map((text) => /^[é-ï😀]$/u.test(text))',
    "an escaped character in a pattern": String.raw`["é", "\\"].map((text) => /^\é$/.test(text))`,
  };

  it.each(Object.entries(sources))("means the same: %s", (_, source) => {
    const written = inAscii(source);
    expect(written).toMatch(/^[\0-\x7f]*$/);
    expect(evaluate(written)).toEqual(evaluate(source));
  });
});

function evaluate(source: string): unknown {
  return runInThisContext(`(${source})`);
}
