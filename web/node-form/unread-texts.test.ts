import { describe, expect, it } from "vitest";
import { createUnreadTexts } from "./unread-texts.ts";

describe("texts that are no value yet", () => {
  it("are kept for their field until it is forgotten", () => {
    const texts = createUnreadTexts();
    texts.keep("a", "{", { old: 1 });
    expect([texts.read("a", { old: 1 }), texts.read("b", { old: 1 })]).toEqual(["{", undefined]);
    texts.forget("a");
    expect(texts.read("a", { old: 1 })).toBeUndefined();
  });

  it("do not cover a value that came from elsewhere, as by undo", () => {
    const texts = createUnreadTexts();
    texts.keep("a", "{", undefined);
    expect(texts.read("a", { other: 2 })).toBeUndefined();
  });
});
