import { expect, it } from "vitest";
import { readNote, titleOfNote } from "./read-note.ts";

it("takes the first line for the heading and finds links, written out or as words", () => {
  expect(readNote("Refunds\nSee [the wiki](https://wiki.example.com/a) or https://example.com/b, please")).toEqual({
    heading: [{ text: "Refunds" }],
    rest: [
      { text: "See " },
      { text: "the wiki", href: "https://wiki.example.com/a" },
      { text: " or " },
      { text: "https://example.com/b", href: "https://example.com/b" },
      { text: ", please" },
    ],
  });
});

it("makes links of web addresses only", () => {
  for (const text of [
    "[press](javascript:alert(1))",
    "[press](data:text/html,x)",
    "<a href='x'>y</a>",
    "[a](//b.test)",
  ])
    expect(readNote(text)).toEqual({ heading: [{ text }], rest: [] });
});

it("names a note by its heading", () => {
  expect(titleOfNote("\n  Ask [Ben](https://example.com/ben)\nmore")).toBe("Ask Ben");
  expect(titleOfNote(" ")).toBe("Empty note");
});
