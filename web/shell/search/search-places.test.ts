import { Box } from "lucide-react";
import { expect, it } from "vitest";
import { type Kind, kinds, type Place } from "./place.ts";
import { readSign, searchPlaces } from "./search-places.ts";

const place = (kind: Kind, title: string, more: Partial<Place> = {}): Place => ({
  id: `${kind}:${title}`,
  kind,
  title,
  detail: "",
  synonyms: [],
  Icon: Box,
  open: "/",
  ...more,
});

const all = [
  place("page", "Workflows", { synonyms: ["automations"] }),
  place("page", "API keys"),
  place("node", "Send the refund"),
  place("workflow", "Chosen by the server"),
  place("server", "stripe_create_refund", { synonyms: ["stripe create refund"] }),
  place("action", "New workflow", { synonyms: ["create"] }),
  place("action", "New API key"),
  place("action", "Turn dark"),
  place("action", "Turn light"),
];

const shown = (text: string, more: { only?: Kind; recent?: Place[] } = {}) =>
  searchPlaces(all, { text, only: more.only, recent: more.recent ?? [], chosen: ["workflow", "run"] }).map(
    ({ title, entries }) => [title, ...entries.map((entry) => entry.title)],
  );

it("shows what was used last and three things to do before anything is typed", () => {
  const recent = [place("workflow", "Old one"), place("page", "API keys")];
  expect(shown("", { recent })).toEqual([
    ["Last used", "Old one", "API keys"],
    ["Do", "New workflow", "New API key", "Turn dark"],
  ]);
});

it("groups hits by kind, what was used last first and never twice", () => {
  expect(shown("api", { recent: [place("page", "API keys")] })).toEqual([
    ["Last used", "API keys"],
    ["Workflows", "Chosen by the server"],
    ["Do", "New API key"],
  ]);
});

it("finds by other words, and by words in any order", () => {
  expect(shown("automat")[0]).toEqual([kinds.page, "Workflows"]);
  expect(shown("create").at(-1)).toEqual([kinds.action, "New workflow"]);
  expect(shown("refund create")).toContainEqual([kinds.server, "stripe_create_refund"]);
});

it("narrows to one kind, by choice or by a sign", () => {
  expect(shown("refund", { only: "node" })).toEqual([[kinds.node, "Send the refund"]]);
  expect(shown(">turn")).toEqual([[kinds.action, "Turn dark", "Turn light"]]);
  expect(shown("> ")).toEqual([[kinds.action, "New workflow", "New API key", "Turn dark", "Turn light"]]);
  expect(readSign("# failed")).toEqual({ kind: "run", rest: "failed" });
});
