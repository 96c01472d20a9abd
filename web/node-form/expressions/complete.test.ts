import { describe, expect, it } from "vitest";
import { complete, findDraft, insertReference, offer } from "./complete.ts";

/** `|` is the caret. */
const split = (text: string) => ({ text: text.replace("|", ""), caret: text.indexOf("|") });
const join = ({ text, caret }: { text: string; caret: number }) => `${text.slice(0, caret)}|${text.slice(caret)}`;

function choose(marked: string, suggestion: string, isBare = false): string {
  const { text, caret } = split(marked);
  const draft = findDraft(text, caret, isBare);
  return draft ? join(complete(text, draft, caret, suggestion)) : "nothing offered";
}

describe("completion", () => {
  it.each([
    ["$tri|", "{{ $trigger.prompt| }}"],
    ["Dear $tr|!", "Dear {{ $trigger.prompt| }}!"],
    ["{{|", "{{ $trigger.prompt| }}"],
    ["{{ $tr| }}", "{{ $trigger.prompt| }}"],
    ["{{ $tr| and {{ $input.b }}", "{{ $trigger.prompt| }} and {{ $input.b }}"],
    ["{{ $input.a }} $t|", "{{ $input.a }} {{ $trigger.prompt| }}"],
  ])("writes a reference with its braces: %s", (before, after) => {
    expect(choose(before, "$trigger.prompt")).toBe(after);
  });

  it("writes no braces where the whole field is an expression", () => {
    expect(choose("$in| > 2", "$input.n", true)).toBe("$input.n| > 2");
  });

  it("puts the caret between the brackets of a function", () => {
    expect(choose("{{ $su| }}", "$sum()")).toBe("{{ $sum(|) }}");
  });

  it.each(["Hello|", "5|", "{{ $input.a }}|", "{{ 1 + 1| }}"])(
    "offers nothing where no reference is written: %s",
    (marked) => {
      const { text, caret } = split(marked);
      expect(findDraft(text, caret, false)).toBeUndefined();
    },
  );

  it("offers what begins with the word before what contains it, and nothing that is written already", () => {
    const suggestions = ["$nodes.input.first", "$input.title", "$input.body"].map((text) => ({ text, detail: "" }));
    expect(offer(suggestions, "$input").map(({ text }) => text)).toEqual([
      "$input.title",
      "$input.body",
      "$nodes.input.first",
    ]);
    expect(offer(suggestions, "$input.title")).toEqual([]);
    expect(offer(suggestions, "$zzz")).toEqual([]);
  });
});

describe("inserting a reference", () => {
  it.each([
    ["Dear |,", false, "Dear {{ $input.name| }},"],
    ["{{ $join([|]) }}", false, "{{ $join([$input.name|]) }}"],
    ["| = 1", true, "$input.name| = 1"],
  ])("puts it where the caret is: %s", (marked, isBare, after) => {
    const { text, caret } = split(marked);
    expect(join(insertReference(text, caret, "$input.name", isBare))).toBe(after);
  });
});
