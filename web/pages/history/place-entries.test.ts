import { expect, it } from "vitest";
import { placeEntries } from "./place-entries.ts";

type Entry = { id: string; completedAt: string | null; status?: string };

const entry = (id: string, others: Partial<Entry> = {}): Entry => ({ id, completedAt: null, ...others });
const pages = (...lists: Entry[][]) => ({
  pages: lists.map((data, index) => ({
    data,
    nextCursor: index < lists.length - 1 ? "more" : (null as string | null),
  })),
  pageParams: lists.map(() => ""),
});
const idsOf = (list: ReturnType<typeof pages>) => list.pages.map(({ data }) => data.map(({ id }) => id));
const all = () => true;

it("puts a new entry on top and one that came late to its place", () => {
  const list = pages([entry("9"), entry("7")], [entry("5"), entry("3")]);
  expect(idsOf(placeEntries(list, [entry("8"), entry("a"), entry("4"), entry("1")], all))).toEqual([
    ["a", "9", "8", "7"],
    ["5", "4", "3", "1"],
  ]);
});

it("leaves to the next page what is older than everything loaded", () => {
  const list = pages([entry("9")]);
  list.pages[0] = { data: [entry("9")], nextCursor: "more" };
  expect(idsOf(placeEntries(list, [entry("1")], all))).toEqual([["9"]]);
});

it("fills an empty list", () => {
  expect(idsOf(placeEntries(pages([]), [entry("1"), entry("2")], all))).toEqual([["2", "1"]]);
});

it("changes an entry where it stands, once", () => {
  const list = placeEntries(
    pages([entry("9"), entry("7")]),
    [entry("7", { status: "success", completedAt: "now" })],
    all,
  );
  expect(list.pages[0]?.data).toEqual([entry("9"), entry("7", { status: "success", completedAt: "now" })]);
});

it("does not take back an end that the list already has", () => {
  const ended = entry("7", { status: "success", completedAt: "now" });
  expect(placeEntries(pages([ended]), [entry("7", { status: "running" })], all).pages[0]?.data).toEqual([ended]);
});

it("keeps out what does not fit, and takes out what does not fit any more", () => {
  const list = pages([entry("9", { status: "running" })]);
  const running = ({ status }: Entry) => status === "running";
  const told = [
    entry("9", { status: "failed", completedAt: "now" }),
    entry("a", { status: "failed", completedAt: "now" }),
  ];
  expect(idsOf(placeEntries(list, told, running))).toEqual([[]]);
});
