import { expect, it } from "vitest";
import type { NodeKind } from "../../catalog.ts";
import { searchKinds } from "./search-kinds.ts";

const kind = (id: string, title: string, provider: string | null, description = ""): NodeKind => ({
  id,
  title,
  description,
  synonyms: [],
  credentials: [],
  alsoTakes: [],
  worksWithoutAccount: true,
  inputSchema: {},
  outputSchema: null,
  ways: ["out"],
  hints: null,
  provider: provider === null ? null : { id: provider.toLowerCase(), title: provider },
});
const kinds = [
  kind("slack_send_message", "Send message", "Slack"),
  kind("gmail_send", "Send email", "Gmail", "Sends a message to people."),
  kind("bird_call", "Call", "Message Bird"),
  kind("ai_answer", "AI answer", null),
  kind("start", "Start", null),
];
const shown = (text: string) => searchKinds(kinds, text).map((group) => [group.title, group.kinds.map(({ id }) => id)]);

it("shows everything by provider, built-in nodes first and the start before the others", () => {
  expect(shown("")).toEqual([
    ["Built in", ["start", "ai_answer"]],
    ["Gmail", ["gmail_send"]],
    ["Message Bird", ["bird_call"]],
    ["Slack", ["slack_send_message"]],
  ]);
});

it("puts what is named so before what only speaks of it", () => {
  expect(shown("message")).toEqual([
    ["Slack", ["slack_send_message"]],
    ["Message Bird", ["bird_call"]],
    ["Gmail", ["gmail_send"]],
  ]);
});

it("finds by words of the provider, the title and the id together, and nothing for others", () => {
  expect(shown("slack send")).toEqual([["Slack", ["slack_send_message"]]]);
  expect(shown("gmail_send")).toEqual([["Gmail", ["gmail_send"]]]);
  expect(shown("slack email")).toEqual([]);
});

it("finds a node by another word for it, before those that only speak of it", () => {
  const condition = {
    ...kind("condition", "Condition", null, "Sends items one way or the other."),
    synonyms: ["if", "branch"],
  };
  const other = kind("note", "Note", "Notes", "What to do if it rains.");
  expect(searchKinds([other, condition], "if").map(({ kinds: [first] }) => first?.id)).toEqual(["condition", "note"]);
});
