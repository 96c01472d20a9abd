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

  it("outlive the page where there is a store for them, which is left empty in the end", () => {
    let stored: string | null = null;
    const store = {
      read: () => stored,
      write: (text: string | null) => {
        stored = text;
      },
    };
    createUnreadTexts(store).keep("a", "{", undefined);
    createUnreadTexts(store).keep("b", "[", [1]);
    const texts = createUnreadTexts(store);
    expect([texts.read("a", undefined), texts.read("b", [1]), texts.read("b", [2])]).toEqual(["{", "[", undefined]);
    texts.forget("a");
    expect(createUnreadTexts(store).read("a", undefined)).toBeUndefined();
    texts.forget("b");
    expect(stored).toBeNull();
  });

  it.each(["{", "{}", "[1]", '[["a", null], ["b", {}]]', "null"])(
    "are none where %s is stored in their place",
    (text) => {
      const texts = createUnreadTexts({ read: () => text, write: () => undefined });
      expect([texts.read("a", undefined), texts.read("b", undefined)]).toEqual([undefined, undefined]);
    },
  );
});
